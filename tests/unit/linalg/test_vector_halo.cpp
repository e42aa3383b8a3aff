// Ghosts of vectors on several parts and ranks, and copies between precisions.
#include "lib/linalg/vector_halo.hpp"

#include <gtest/gtest.h>

#include "lib/linalg/scaled_copy.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

// Parts of 16 numbers with room for 8 on either side, of which 2 before and 3 behind are filled; number i of all is
// 1000 + i.
template <class T>
void fills_ghosts(const Communicator& comm, const std::vector<ExecutorPtr>& executors) {
  const int devices = static_cast<int>(executors.size());
  const Team team(executors, comm.rank() * devices, comm.size() * devices);
  const auto each = [&](Index value) { return std::vector<Index>(static_cast<std::size_t>(devices), value); };
  const auto space = std::make_shared<VectorSpace>(comm, team, VectorLayout{each(1), 2, true, each(8), each(8)});
  Vector<T> x(space);
  for (int p = 0; p < devices; ++p) {
    std::vector<T> own;
    for (int i = 0; i < 16; ++i) own.push_back(static_cast<T>(1000 + 16 * (team.first_part() + p) + i));
    x.assign(p, own);
  }
  VectorHalo<T> halo(*space, line_links(team, each(16), 1, {8, 2, 3}));
  halo.exchange(x);
  for (int p = 0; p < devices; ++p) {
    const int part = team.first_part() + p;
    const auto there = x.whole(p);
    std::vector<T> found(32);
    team.executor(p)->copy_out(found.data(), there.data, found.size() * sizeof(T));
    for (int i = 0; i < 32; ++i) {
      const int number = 16 * part + i - 8;
      const bool known = i >= 6 && i < 27 && number >= 0 && number < 16 * team.total_parts();
      EXPECT_EQ(found[i], known ? static_cast<T>(1000 + number) : T{0}) << "part " << part << ", place " << i;
    }
  }
  const bool alone = comm.size() == 1;
  EXPECT_EQ(halo.sent().bytes % static_cast<Index>(sizeof(T)), 0);
  EXPECT_EQ(halo.sent().bytes > 0, !alone);
}

class VectorHaloTest : public OnEveryExecutor {};

TEST_P(VectorHaloTest, FillsGhosts) {
  const Communicator world(MPI_COMM_WORLD);
  for (const int devices : {1, 2, 3}) {
    fills_ghosts<double>(world, make_test_executors(GetParam(), devices));
    fills_ghosts<float>(world, make_test_executors(GetParam(), devices));
  }
}

TEST_P(VectorHaloTest, ExchangesNothingWithoutLinks) {
  const Communicator self(MPI_COMM_SELF);
  const Team team({executor()}, 0, 1);
  Vector<float> x(std::make_shared<VectorSpace>(self, team, VectorLayout{{1}, 2}));
  VectorHalo<float> none;
  none.exchange(x);
  EXPECT_EQ(none.sent(), Traffic{});
}

template <class From, class To>
void copies(const ExecutorPtr& executor) {
  const auto numbers = random_numbers(6 * 20, 1);
  const auto from = make_array(executor, std::vector<From>(numbers.begin(), numbers.end()));
  Array<To, 1> to(executor, {6 * 20});
  to.assign(std::vector<To>(6 * 20, To{7}));
  scaled_copy(*executor, "copy", 5, 20, 0.3, from.view().data, to.view().data);
  const auto given = from.to_host();
  const auto found = to.to_host();
  for (std::size_t n = 0; n < found.size(); ++n)
    EXPECT_EQ(found[n], n < 100 ? static_cast<To>(0.3 * static_cast<double>(given[n])) : To{7}) << n;
}

TEST_P(VectorHaloTest, CopiesBetweenPrecisions) {
  copies<double, float>(executor());
  copies<float, double>(executor());
  copies<double, double>(executor());
}

INSTANTIATE_TEST_SUITE_P(Executors, VectorHaloTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
