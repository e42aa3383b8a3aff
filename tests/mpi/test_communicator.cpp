#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "mpi/check.hpp"
#include "mpi/communicator.hpp"
#include "mpi/groups.hpp"

namespace halocline {
namespace {

class CommunicatorTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
};

TEST_F(CommunicatorTest, KnowsItsPlace) {
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(comm.rank(), rank);
  EXPECT_EQ(comm.size(), size);
  EXPECT_NE(comm.handle(), MPI_COMM_WORLD);
  EXPECT_LT(comm.node_rank(), comm.node_size());
  EXPECT_LE(comm.node_size(), size);
}

TEST_F(CommunicatorTest, ExactSumsDoNotDependOnTheDistribution) {
  std::mt19937_64 random(5);  // the same terms on every rank
  std::normal_distribution<double> normal;
  for (std::size_t sums : {1u, 3u, 8u, 20u}) {
    std::vector<ExactSum> whole(sums), shared(sums);
    for (int i = 0; i < 1000; ++i) {
      for (std::size_t s = 0; s < sums; ++s) {
        const double term = std::ldexp(normal(random), i % 100);
        whole[s].add(term);
        if (i % comm.size() == comm.rank()) shared[s].add(term);
      }
    }
    comm.sum(shared);
    for (std::size_t s = 0; s < sums; ++s) {
      whole[s].normalize();
      EXPECT_EQ(shared[s].data(), whole[s].data());
      const double a = shared[s].value(), b = whole[s].value();
      EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
    }
  }
}

TEST_F(CommunicatorTest, ExactSumsCarryNaN) {
  std::vector<ExactSum> sums(2);
  if (comm.rank() == comm.size() - 1) sums[1].add(std::nan(""));
  comm.sum(sums);
  EXPECT_EQ(sums[0].value(), 0);
  EXPECT_TRUE(std::isnan(sums[1].value()));
}

TEST_F(CommunicatorTest, Reductions) {
  const Index n = comm.size(), r = comm.rank();
  std::vector<Index> counts{r, Index{1} << 40};
  comm.sum(counts);
  EXPECT_EQ(counts, (std::vector<Index>{n * (n - 1) / 2, n << 40}));
  std::vector<Index> largest{r, -r};
  comm.max(largest);
  EXPECT_EQ(largest, (std::vector<Index>{n - 1, 0}));
  std::vector<double> values{static_cast<double>(r), -static_cast<double>(r)}, smallest = values;
  comm.max(values);
  comm.min(smallest);
  EXPECT_EQ(values, (std::vector<double>{static_cast<double>(n - 1), 0}));
  EXPECT_EQ(smallest, (std::vector<double>{0, -static_cast<double>(n - 1)}));
}

TEST_F(CommunicatorTest, ScansWhatLiesBefore) {
  const Index r = comm.rank();
  EXPECT_EQ(comm.exclusive_scan(r + 10), 10 * r + r * (r - 1) / 2);
}

TEST_F(CommunicatorTest, GathersNumbersAndTexts) {
  const std::vector<double> all = comm.gather(comm.rank() + 0.5);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(all[r], r + 0.5);
  const auto text_of = [](int rank) {
    return std::string(static_cast<std::size_t>(rank) * 3, 'a') + std::to_string(rank);
  };
  const std::vector<std::string> texts = comm.gather(text_of(comm.rank()));
  ASSERT_EQ(texts.size(), comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0u);
  for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], text_of(static_cast<int>(r)));
  const std::vector<std::string> empty = comm.gather(std::string());
  for (const std::string& text : empty) EXPECT_EQ(text, "");
}

TEST_F(CommunicatorTest, Broadcasts) {
  for (int root = 0; root < comm.size(); ++root) {
    const bool mine = comm.rank() == root;
    std::string text = mine ? "from " + std::to_string(root) : "something longer that must go";
    comm.broadcast(text, root);
    EXPECT_EQ(text, "from " + std::to_string(root));
    std::vector<double> values(3, mine ? root + 0.25 : -1);
    comm.broadcast(values, root);
    EXPECT_EQ(values, std::vector<double>(3, root + 0.25));
    std::vector<Index> counts(2, mine ? root : -1);
    comm.broadcast(counts, root);
    EXPECT_EQ(counts, std::vector<Index>(2, root));
  }
  std::string empty = comm.rank() == 0 ? "" : "x";
  comm.broadcast(empty);
  EXPECT_EQ(empty, "");
}

TEST_F(CommunicatorTest, AgreesOnlyWhenAllDo) {
  EXPECT_TRUE(comm.agree(true));
  for (int dissenter = 0; dissenter < comm.size(); ++dissenter) EXPECT_FALSE(comm.agree(comm.rank() != dissenter));
  comm.barrier();
}

TEST_F(CommunicatorTest, FindsTheFirstRank) {
  EXPECT_EQ(first_rank(comm, false), std::nullopt);
  EXPECT_EQ(first_rank(comm, true), 0);
  for (int rank = 0; rank < comm.size(); ++rank) EXPECT_EQ(first_rank(comm, comm.rank() >= rank), rank);
}

TEST_F(CommunicatorTest, FailedCallsAreErrorsThatNameThem) {
  try {
    check_mpi(MPI_Send(nullptr, 0, MPI_INT, comm.size() + 5, 0, comm.handle()), "MPI_Send");
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_EQ(std::string(error.what()).find("MPI_Send failed: "), 0u) << error.what();
  }
}

}  // namespace
}  // namespace halocline
