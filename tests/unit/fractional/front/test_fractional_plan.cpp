// Plan: parts of whole strips, forecasts, and what a restart must have in common.
#include <gtest/gtest.h>

#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/fractional/boxes/part_boxes.hpp"
#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/memory.hpp"
#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {
namespace {

Plan plan_of(const DeckText& deck, const std::vector<double>& weights = {1.0}) {
  FractionalOptions options;
  Plan made;
  Shape shape;
  shape.weights = weights;
  EXPECT_EQ(read_deck(deck.text(), options, made, shape), "");
  return made;
}

TEST(FractionalPlan, PartsBeginWhereStripsBegin) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [4, 4, 80]}";
  const auto strips = strips::strip_layout(81);
  for (const std::vector<double>& weights : {std::vector<double>{1, 1, 1}, {3, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    const Partition partition = plan_of(deck, weights).partition;
    ASSERT_EQ(partition.parts(), static_cast<int>(weights.size()));
    EXPECT_EQ(partition.count(), 81);
    for (int p = 0; p < partition.parts(); ++p) {
      bool at_strip = false;
      for (Index s = 0; s < strips.count; ++s) at_strip = at_strip || strips.begin(s) == partition.block(p).lo[0];
      EXPECT_TRUE(at_strip) << partition.block(p).lo[0];
      EXPECT_GT(partition.block(p).size(), 0);
    }
  }
  EXPECT_GT(plan_of(deck, {3, 1}).partition.block(0).size(), 50);
}

// Steps by sweeps alone, on a grid with 10 strips along y and 10 along z.
DeckText by_sweeps() {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [40, 80, 80]}";
  deck.more = "  solver: {split: adi}\n";
  return deck;
}
std::vector<double> equal_weights(std::size_t parts) { return std::vector<double>(parts, 1.0); }

// The partition of boxes is not one of planes; the run makes them again.
BoxPartition boxes_of_deck(const DeckText& deck, std::size_t parts) {
  FractionalOptions options;
  Plan made;
  Shape shape;
  shape.weights = equal_weights(parts);
  EXPECT_EQ(read_deck(deck.text(), options, made, shape), "");
  return boxes_of(formulate(options), shape.weights, made.partition);
}

TEST(FractionalPlan, CutsIntoBoxesWhereThatSendsLess) {
  const auto strips = strips::strip_layout(81);
  ASSERT_EQ(strips.count, 10);
  EXPECT_EQ(boxes_of_deck(by_sweeps(), 4).columns(), 1) << "few parts are slabs";
  const BoxPartition boxes = boxes_of_deck(by_sweeps(), 25);
  EXPECT_EQ(boxes.columns(), 5);
  EXPECT_EQ(boxes.layers(), 5);
  for (const Partition* along : {&boxes.y(), &boxes.z()})
    for (int p = 0; p < 5; ++p) EXPECT_EQ(along->block(p).lo[0], strips.begin(2 * p));
  EXPECT_EQ(boxes_of_deck(by_sweeps(), 100).columns(), 10) << "a strip each";
  const Plan in_boxes = plan_of(by_sweeps(), equal_weights(25)), slabs = plan_of(by_sweeps(), equal_weights(5));
  EXPECT_EQ(in_boxes.partition.parts(), 0);
  EXPECT_NE(in_boxes.notes.back().find("boxes of 41 x 17 x 17 nodes, 5 along y and 5 along z"), std::string::npos)
      << in_boxes.notes.back();
  EXPECT_LT(in_boxes.message_bytes, slabs.message_bytes / 2);
  EXPECT_LT(in_boxes.bytes_per_part, slabs.bytes_per_part / 3);
}

TEST(FractionalPlan, CutsAsTheDeckAsks) {
  DeckText deck = by_sweeps();
  deck.grid.insert(1, "parts: [3, 2], ");
  EXPECT_EQ(boxes_of_deck(deck, 6).columns(), 3);
  const Plan chosen = plan_of(by_sweeps(), equal_weights(6));
  EXPECT_EQ(plan_of(deck, equal_weights(6)).formulas, chosen.formulas) << "a restart may be cut in another way";
}

TEST(FractionalPlan, RefusesBoxesThatCannotBe) {
  const auto faults = [](const DeckText& deck, const std::vector<double>& weights) {
    FractionalOptions options;
    Plan made;
    Shape shape;
    shape.weights = weights;
    return read_deck(deck.text(), options, made, shape);
  };
  const auto expect = [&](const char* parts, const char* more, const std::vector<double>& weights, const char* told) {
    DeckText deck = by_sweeps();
    if (*parts != 0) deck.grid.insert(1, std::string("parts: ") + parts + ", ");
    deck.more = more;
    const std::string found = faults(deck, weights);
    EXPECT_NE(found.find(told), std::string::npos) << found;
  };
  const char* const adi = "  solver: {split: adi}\n";
  expect("[3, 2]", adi, equal_weights(5), "fractional.grid.parts: makes 6 parts; this run has 5");
  expect("[3, 2]", "", equal_weights(6), "fractional.grid.parts: cuts y, but steps may be solved as a whole");
  expect("[2, 1]", adi, {1, 3}, "fractional.grid.parts: needs devices of equal weights");
  expect("[11, 1]", adi, equal_weights(11), "lines have 10 strips along y and 10 along z");
  expect("[2.5, 2]", adi, equal_weights(5), "fractional.grid.parts: must be a list of two whole numbers");
  expect("", adi, equal_weights(101), "at most 100 parts fit, best up to here 100 (10 along y times 10 along z)");
  expect("", adi, equal_weights(22), "best up to here 21 (3 along y times 7 along z)");
  expect("", "", equal_weights(11), "parts are not cut along y, since steps may be solved as a whole");
}

TEST(FractionalPlan, TellsHowTheHistoryIsSummed) {
  DeckText deck;
  deck.more = "  precision: fp16_history\n  history: {eps: 1e-5, block: 16}\n";
  deck.time = "{end: 1, steps: 16}";
  EXPECT_EQ(plan_of(deck).notes.back(), "history by sums over all increments, within the one block of 16 steps");
  deck.time = "{end: 1, steps: 17}";
  EXPECT_NE(plan_of(deck).notes.back().find(" exponentials, relative error of the kernel "), std::string::npos);
}

TEST(FractionalPlan, ForecastsMemory) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [63, 63, 63]}";
  deck.time = "{end: 1, steps: 2000}";
  const Plan one = plan_of(deck), two = plan_of(deck, {1, 1});
  EXPECT_EQ(one.unknowns, 64 * 64 * 64);
  EXPECT_EQ(one.shape, "64 x 64 x 64 nodes");
  const double per_node = static_cast<double>(one.bytes_per_part) / static_cast<double>(one.unknowns);
  EXPECT_GT(per_node, 8 * (20 + 16 + 2));  // N is 24 to 28 here
  EXPECT_LT(per_node, 8 * (32 + 16 + 3 + 7) * 66.0 / 64);
  EXPECT_EQ(one.steps, 2000);
  EXPECT_NEAR(one.traffic / static_cast<double>(one.unknowns), 130 + 16 * (28 + 16) / 16, 5);
  EXPECT_GT(one.checkpoint_bytes, 8.0 * (20 + 16) * static_cast<double>(one.unknowns));
  EXPECT_EQ(one.message_bytes, 0U);
  EXPECT_EQ(two.message_bytes, 6U * 8 * 64 * 64);
  EXPECT_LT(two.bytes_per_part, one.bytes_per_part * 6 / 10);
  deck.more = "  solver: {split: adi}\n";
  const double swept = static_cast<double>(plan_of(deck).bytes_per_part) / static_cast<double>(one.unknowns);
  EXPECT_NEAR(per_node - swept, 8 * 7 + 12 * 8 / 7.0, 6);  // vectors of unsplit steps and of multigrid
  deck.more = "  history: {engine: direct}\n";
  EXPECT_GT(plan_of(deck).bytes_per_part, 25 * one.bytes_per_part);
}

// Increments of all blocks that are begun, and of no more steps than there are.
TEST(FractionalPlan, DirectHistoryCountsWholeBlocks) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [31, 31, 31]}";
  const auto fields = [&](int steps, int block) {
    deck.time = "{end: 1, steps: " + std::to_string(steps) + "}";
    deck.more = "  solver: {split: adi}\n  history: {engine: direct, block: " + std::to_string(block) + "}\n";
    return std::lround(static_cast<double>(plan_of(deck).bytes_per_part) / (8.0 * 32 * 32 * 34));
  };
  const auto one = fields(10, 1);
  EXPECT_EQ(fields(12, 1), one + 2);
  EXPECT_EQ(fields(10, 4), one + 2);
  EXPECT_EQ(fields(10, 64), one);
}

TEST(FractionalPlan, ForecastsOfPrecisions) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [63, 63, 63]}";
  deck.time = "{end: 1, steps: 2000}";
  const auto in = [&](const std::string& precision) {
    deck.more = "  solver: {split: adi}\n  precision: " + precision + "\n";
    return plan_of(deck);
  };
  const Plan fp64 = in("fp64"), mixed = in("mixed"), fp32 = in("fp32");
  const double nodes = 64 * 64 * 66;
  const double history = static_cast<double>(fp64.bytes_per_part) / nodes - 8;  // slots, first and states
  EXPECT_NEAR(static_cast<double>(mixed.bytes_per_part) / nodes, 8 + history / 2, 1e-3);
  EXPECT_NEAR(static_cast<double>(fp32.bytes_per_part) / nodes, 4 + 8 + history / 2, 1e-3);  // and a copy for output
  EXPECT_LT(mixed.traffic, 0.6 * fp64.traffic);
  EXPECT_LT(fp32.traffic, mixed.traffic);
  // Of 16 slots, the last increment and all states, but with a sub-block of floats and the increment before it.
  const Plan halves = in("fp16_history");
  EXPECT_NEAR(static_cast<double>(halves.bytes_per_part) / nodes, 8 + history / 4 + 5 * 4, 1e-3);
  EXPECT_LT(halves.checkpoint_bytes, 0.45 * mixed.checkpoint_bytes);
  EXPECT_LT(halves.traffic, 1.1 * mixed.traffic);
  EXPECT_NE(fp64.smaller.find("precision: mixed"), std::string::npos);
  EXPECT_EQ(mixed.smaller.find("precision: mixed"), std::string::npos);
}

// Media share the states of their histories; each node has a byte for its medium, and factors of its own.
TEST(FractionalPlan, ForecastsMediaWithSharedStates) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [63, 63, 63]}";
  deck.time = "{end: 1, steps: 2000}";
  const Plan one = plan_of(deck);
  deck.equation["order"] = "";
  deck.equation["terms"] = "[{order: 0.6, coefficient: step(z - 0.5)}, {order: 0.3, coefficient: 1 - step(z - 0.5)}]";
  const Plan two = plan_of(deck);
  const double more = (static_cast<double>(two.bytes_per_part) - static_cast<double>(one.bytes_per_part)) /
                      static_cast<double>(one.unknowns);
  EXPECT_GT(more, 8 * 2 + 1);
  EXPECT_LT(more, 8 * (2 + 10) + 2);
}

TEST(FractionalPlan, IdentityHoldsWhatDecidesTheNumbers) {
  const std::string base = plan_of({}).formulas;
  const auto changed = [&](auto change) {
    DeckText deck;
    change(deck);
    return plan_of(deck).formulas != base;
  };
  EXPECT_FALSE(changed([](DeckText& d) { d.verify = "{mass: [0, 1]}"; }));
  EXPECT_FALSE(changed([](DeckText& d) { d.more = "  history: {engine: direct}\n"; }));  // what auto takes
  EXPECT_FALSE(changed([](DeckText& d) { d.more = "  solver: {tol: 1e-10}\n"; }));
  EXPECT_FALSE(changed([](DeckText& d) { d.more = "  solver: {maxit: 50}\n"; }));
  EXPECT_FALSE(changed([](DeckText& d) { d.more = "  solver: {split_error: 1e-4}\n"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.more = "  solver: {split: adi}\n"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.more = "  history: {eps: 1e-8}\n"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.more = "  history: {engine: exponentials}\n"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.more = "  history: {block: 8}\n"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.more = "  solver: {predictor: zero}\n"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.more = "  precision: mixed\n"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.equation["order"] = "0.7"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.equation["psi"] = "t^2"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.equation["sigma"] = "2"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.equation["velocity"] = "{z: 1}"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.sides = "{rest: {kind: dirichlet, value: 0*t + 1}}"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.time = "{end: 1, steps: 9}"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.time = "{end: 2, steps: 8}"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.time = "{end: 1, steps: 8, horizon: 2}"; }));
  EXPECT_FALSE(changed([](DeckText& d) { d.time = "{end: 0.25, steps: 2, horizon: 1}"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.time = "{end: 0.25, steps: 3, horizon: 1}"; }));
  EXPECT_TRUE(changed([](DeckText& d) { d.grid = "{size: [1, 1, 2], cells: [6, 5, 4]}"; }));
}

}  // namespace
}  // namespace halocline::fractional
