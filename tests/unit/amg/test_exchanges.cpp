// Two exchanges of a visit in place of four: the bits of one part, whatever the cycle, smoother, precision and kind of
// levels, and fewer messages.
#include <gtest/gtest.h>

#include "tests/unit/amg/amg_system.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::amg {
namespace {

// Several distributed levels behind the finest.
AmgOptions with(Exchanges exchanges) {
  AmgOptions options;
  options.hierarchy.exchanges = exchanges;
  options.hierarchy.coarsening.coarse_max = 100;
  options.hierarchy.coarsening.most_replicated = 4096;
  return options;
}

Index messages_of(const Communicator& comm, const Amg& amg) {
  Index messages = amg.sent().messages;
  comm.sum(std::span<Index>(&messages, 1));
  return messages;
}

class ExchangesTest : public OnEveryExecutor {
 protected:
  // On so many devices a rank.
  void compare(const WholeMatrix& whole, const AmgOptions& options, int each) {
    const std::vector<double> x = random_numbers(whole.size(), 3);
    const std::vector<double> right = System(alone_, whole, whole_partition(whole.size()), options).apply(x);
    const Devices devices(MPI_COMM_WORLD, GetParam(), each);
    const int parts = devices.team.total_parts();
    const Partition partition = sparse::random_partition(whole.size(), 1024, parts, 7);
    const System two(devices, whole, partition, options);
    EXPECT_EQ(two.apply(x), right);
    EXPECT_EQ(two.apply(x), right);  // whatever the cycle before has left
    const HierarchyFacts& facts = two.amg().facts();
    ASSERT_GE(facts.levels.size(), 3u);
    EXPECT_FALSE(facts.levels[0].two_exchanges);
    EXPECT_EQ(facts.levels[1].two_exchanges, parts > 1 && options.hierarchy.smoother.kind == SmootherKind::jacobi);
    if (parts == 1) return;
    EXPECT_FALSE(facts.levels[1].replicated);
    AmgOptions plain = options;
    plain.hierarchy.exchanges = Exchanges::four;
    const System four(devices, whole, partition, plain);
    EXPECT_EQ(four.apply(x), right);
    EXPECT_EQ(four.apply(x), right);
    EXPECT_FALSE(four.amg().facts().levels[1].two_exchanges);
    for (std::size_t l = 0; l < facts.levels.size(); ++l)  // reports do not depend on what is held twice
      EXPECT_EQ(facts.levels[l].bytes, four.amg().facts().levels[l].bytes) << "level " << l;
    if (each == 1) {
      EXPECT_LT(messages_of(devices.comm, two.amg()), messages_of(devices.comm, four.amg()));
    }
  }

  Devices alone_{MPI_COMM_SELF, GetParam(), 1};
  const WholeMatrix whole_ = seven_points(26, 100);  // which are coarsened along one axis first
};

TEST_P(ExchangesTest, InSinglePrecision) {
  for (const int each : {1, 2}) compare(whole_, with(Exchanges::two), each);
}

TEST_P(ExchangesTest, InDoublePrecisionWithSeveralSweepsAndWCycles) {
  AmgOptions options = with(Exchanges::two);
  options.precision = Precision::fp64;
  options.cycle = multigrid::CycleKind::w;
  options.hierarchy.smoother.sweeps = 3;
  compare(whole_, options, 1);
}

TEST_P(ExchangesTest, OfChebyshevInFCycles) {
  AmgOptions options = with(Exchanges::two);
  options.cycle = multigrid::CycleKind::f;
  options.hierarchy.smoother.kind = SmootherKind::chebyshev;
  options.hierarchy.smoother.sweeps = 2;
  compare(whole_, options, 1);
}

TEST_P(ExchangesTest, OfAggregates) {
  AmgOptions options = with(Exchanges::two);
  options.hierarchy.coarsening.kind = CoarseningKind::aggregation;
  compare(whole_, options, 1);
}

// Rows without a pattern, of which some lead far away: parts have most rows of the others.
TEST_P(ExchangesTest, OfIrregularRows) {
  AmgOptions options = with(Exchanges::two);
  options.hierarchy.coarsening.theta = 0.5;
  compare(irregular(20000, 5), options, 2);
}

// With new values of the same pattern.
TEST_P(ExchangesTest, OfNewValues) {
  AmgOptions options = with(Exchanges::two);
  options.hierarchy.coarsening.keep = true;
  const WholeMatrix other = seven_points(26, 120);
  const std::vector<double> x = random_numbers(whole_.size(), 3);
  System one(alone_, whole_, whole_partition(whole_.size()), options);
  one.renew(other);
  const Devices devices(MPI_COMM_WORLD, GetParam(), 1);
  System system(devices, whole_, sparse::random_partition(whole_.size(), 1024, devices.team.total_parts(), 7), options);
  system.renew(other);
  EXPECT_EQ(system.apply(x), one.apply(x));
}

INSTANTIATE_TEST_SUITE_P(Executors, ExchangesTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
