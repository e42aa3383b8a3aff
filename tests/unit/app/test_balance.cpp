// Shares of the work and of the memory.
#include "app/run/balance.hpp"

#include <gtest/gtest.h>

#include "app/run/memory.hpp"
#include "gpu/copy_rate.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

TEST(Balance, WeightsAreHundredthsOfTheFastest) {
  EXPECT_EQ(weights_of_rates({4e12, 2e11, 1.0}), (std::vector<double>{1, 0.05, 0.01}));
  EXPECT_EQ(weights_of_rates({3e10, 2e10}), (std::vector<double>{1, 0.67}));
}

TEST(Memory, PartsTakeShareByWeight) {
  LoadedDeck deck;
  deck.plan.bytes_per_part = 100;  // of the largest of two equal parts
  deck.shape = {1, {1, 1}};
  EXPECT_DOUBLE_EQ(bytes_of_part(deck, deck.shape, 1), 100);
  EXPECT_DOUBLE_EQ(bytes_of_part(deck, {1, {3, 1}}, 0), 150);
  deck.shape = {1, {3, 1}};
  EXPECT_NEAR(bytes_of_part(deck, deck.shape, 1), 100.0 / 3, 1e-10);
}

TEST(Memory, OutputsOnTheWayTakeTheirFieldsOnTheHost) {
  Family family{};
  LoadedDeck deck;
  deck.family = &family;
  deck.shape = {2, {1, 1}};
  deck.plan.fields = {"a", "b", "c"};
  deck.plan.grid = Grid{{std::vector<double>(11), std::vector<double>(5), {0}}, ""};
  EXPECT_EQ(bytes_of_outputs(deck), 0);  // the end alone is waited for
  deck.shared.output.every = 0.5;
  EXPECT_EQ(bytes_of_outputs(deck), 2 * 3 * 55 * 8 / 2);
  deck.shared.output.fields = {"a"};
  deck.shared.output.buffers = 1;
  EXPECT_EQ(bytes_of_outputs(deck), 55 * 8 / 2);
  deck.shared.output.buffers = 0;
  EXPECT_EQ(bytes_of_outputs(deck), 0);
}

// A field that is written, anew in slabs where it is cut otherwise; an array of a checkpoint where that is larger;
// messages of devices that are not the host.
TEST(Memory, BesidePartsLiesWhatIsWritten) {
  Family family{};
  LoadedDeck deck;
  deck.family = &family;
  deck.shape = {2, {1, 1}};
  deck.plan.fields = {"a", "b"};
  deck.plan.grid = Grid{{std::vector<double>(11), std::vector<double>(5), {0}}, ""};
  deck.plan.message_bytes = 7;
  const double field = 55 * 8 / 2, under_way = 2 * 2 * field;
  EXPECT_EQ(bytes_beside_parts(deck), 3 * field);  // of a checkpoint, with pieces on their way from a device
  deck.plan.in_slabs = false;
  EXPECT_EQ(bytes_beside_parts(deck), 4 * field);  // as it leaves, as it arrives, and the piece of a slab
  deck.shared.output.every = 0.5;
  EXPECT_EQ(bytes_beside_parts(deck), 4 * field + under_way);
  deck.plan.in_slabs = true;
  EXPECT_EQ(bytes_beside_parts(deck), 3 * field + under_way);
  deck.plan.archived_bytes = 1000;
  EXPECT_EQ(bytes_beside_parts(deck), 3000 + under_way);
  deck.shared.checkpoint.files = CheckpointFiles::writers;
  EXPECT_EQ(bytes_beside_parts(deck), 3000 + under_way);
  deck.shared.run.devices = {"emulated"};
  EXPECT_EQ(bytes_beside_parts(deck), 3000 + under_way + 14);
  deck.plan.archived_bytes = std::size_t{1} << 30;  // of which 8 MB at a time
  EXPECT_EQ(bytes_beside_parts(deck), (1 << 30) + (2 << 23) + under_way + 14);
}

TEST(Memory, FaultsTellWhatIsNeededAndFree) {
  EXPECT_EQ(gpu_memory_fault("cuda:1", 2, 1e9, 1e9, "less"), "");
  EXPECT_EQ(
      gpu_memory_fault("cuda:1", 2, 3e9, 1.5e9, "a coarser grid"),
      "cuda:1: out of memory: the run needs about 3 GB there for its 2 parts, 1.5 GB are free; use more GPUs or a "
      "coarser grid");
  EXPECT_NE(gpu_memory_fault("cuda:0", 1, 2, 1, "fewer systems").find("for its part, "), std::string::npos);
}

class CopyRateTest : public OnEveryExecutor {};
INSTANTIATE_TEST_SUITE_P(Executors, CopyRateTest, every_executor(), executor_name);

// No memory copies faster than 100 TB/s, and none slower than 10 MB/s.
TEST_P(CopyRateTest, IsARateOfMemory) {
  const double rate = copy_rate(executor(), 0.001);
  EXPECT_GT(rate, 1e7);
  EXPECT_LT(rate, 1e14);
}

}  // namespace
}  // namespace halocline
