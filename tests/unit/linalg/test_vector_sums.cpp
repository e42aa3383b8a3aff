// Sums over vectors are equal to the bit for any number of parts and ranks.
#include <gtest/gtest.h>

#include <array>

#include "lib/linalg/vector.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

constexpr Index groups = 13, rows = 10;

class VectorSumsTest : public OnEveryExecutor {
 protected:
  // All sums that operations return, of the same numbers on every layout.
  template <class T>
  std::vector<double> sums(MPI_Comm communicator, int devices, bool lane_is_chunk) {
    const Communicator comm(communicator);
    const Team team(make_test_executors(GetParam(), devices), comm.rank() * devices, comm.size() * devices);
    const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
    const Partition partition(groups, 1, weights);
    VectorLayout layout{{}, rows, lane_is_chunk};
    for (int p = 0; p < devices; ++p) layout.groups.push_back(partition.block(team.first_part() + p).extent(0));
    const auto space = std::make_shared<VectorSpace>(comm, team, layout);

    std::vector<Vector<T>> v;
    std::vector<const Vector<T>*> pointers;
    for (unsigned n = 0; n < 13; ++n) {
      const std::vector<double> all = random_numbers(static_cast<std::size_t>(groups * rows * lanes), n);
      v.emplace_back(space);
      for (int p = 0; p < devices; ++p) {
        const Index first = partition.block(team.first_part() + p).lo[0] * rows * lanes;
        std::vector<T> own(static_cast<std::size_t>(layout.size(p)));
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<T>(all[static_cast<std::size_t>(first) + i]);
        v.back().assign(p, own);
      }
    }
    for (const Vector<T>& one : v) pointers.push_back(&one);

    std::vector<double> result(v.size());
    multi_dot<T>(pointers, v[3], result);
    const Dots pair = dots(v[0], v[1]);
    const ResidualDots moved = update(0.3, v[2], 0.7, v[3], v[4], v[5], v[6]);
    const double rr = cg_update(0.3, 0.9, v[7], v[8], v[9], v[10], v[11], v[12]);
    result.insert(result.end(), {pair.xx, pair.xy, moved.rr, moved.rw, rr, norm(v[4]), norm(v[11])});
    return result;
  }
};

TEST_P(VectorSumsTest, DoNotDependOnPartsOrRanks) {
  for (const bool lane_is_chunk : {true, false}) {
    EXPECT_EQ(sums<double>(MPI_COMM_WORLD, 2, lane_is_chunk), sums<double>(MPI_COMM_SELF, 1, lane_is_chunk));
    EXPECT_EQ(sums<float>(MPI_COMM_WORLD, 2, lane_is_chunk), sums<float>(MPI_COMM_SELF, 1, lane_is_chunk));
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, VectorSumsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
