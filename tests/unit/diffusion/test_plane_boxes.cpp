// Parts of a plane in boxes of x and y: the same bits as on one part, for all masks, walls and kernels; restarts on
// other layouts; how boxes are chosen, and what is refused.
#include <gmock/gmock.h>

#include "lib/problems/diffusion/boxes/choose_boxes.hpp"
#include "tests/unit/diffusion/boxes_cases.hpp"

namespace halocline::diffusion {
namespace {

// Walls of every kind, some moving, pieces that end inside of parts. Columns of parts: 32 and 37 - 32, or 32 each
// and 5.
Case walled(const std::string& mask, const std::string& cells = "[37, 53]") {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1.3], cells: " + cells + "}";
  deck.initial = "x^2 + sin(5*y)";
  deck.walls =
      "{x_min: [{from: {y: 0.3}, to: {y: 0.9}, kind: dirichlet, value: y - 100*t}], x_max: [{kind: flux, value: y^2}], "
      "y_min: [{from: {x: 0.4}, to: {x: 0.95}, kind: robin, transfer: 3, value: x}], y_max: [{kind: dirichlet, value: "
      "sin(2000*t)*x}], rest: {kind: no_flux}}";
  deck.stencil = "{mask: " + mask + ", co: 0.5}";
  deck.time = "{end: 0.002}";
  deck.verify = "{mass_balance: 1e-9, exact: x*y}";
  return deck;
}

class PlaneBoxes : public BoxesTest {
 protected:
  PlaneBoxes() { most_columns_ = 2; }
};

TEST_P(PlaneBoxes, HaveTheSameBitsForAllMasks) {
  for (const std::string mask : {"5pt", "9pt", "cross4"}) compare(walled(mask), {2, 4}, box_sweeps);
  const int ranks = Communicator(MPI_COMM_WORLD).size();
  EXPECT_EQ(compared_, ranks == 3 ? 0 : ranks == 4 ? 9 : 18);
}

TEST_P(PlaneBoxes, OfThreeTimesTwoAndFourHaveTheSameBits) {
  most_columns_ = 4;
  compare(walled("9pt", "[101, 53]"), {3, 4, 6}, {", kernel: auto, steps_per_sweep: 3"});
}

// Large enough to compute the inside of several steps while messages travel.
TEST_P(PlaneBoxes, ThatSendBeforeTheyAreDoneHaveTheSameBits) {
  most_columns_ = 4;
  Case deck = walled("5pt", "[389, 141]");
  deck.time = "{end: 0.00005}";
  compare(deck, {4}, {", steps_per_sweep: 2", ""});
}

TEST_P(PlaneBoxes, HaveTheSameBitsOnPeriodicDomains) {
  for (const char* walls : {"{rest: {kind: periodic}}",
                            "{x_min: {kind: periodic}, x_max: {kind: periodic}, y_min: {kind: dirichlet, value: x}, "
                            "rest: {kind: no_flux}}",
                            "{y_min: {kind: periodic}, y_max: {kind: periodic}, x_min: {kind: dirichlet, value: y}, "
                            "rest: {kind: no_flux}}"}) {
    Case deck = walled("9pt", "[69, 53]");
    deck.walls = walls;
    deck.initial = "sin(2*pi*y/1.3) + cos(2*pi*x)*y";
    compare(deck, {2, 4}, {box_sweeps[0], box_sweeps[1]});
  }
}

TEST_P(PlaneBoxes, HaveTheSameBitsInSinglePrecision) {
  Case deck = walled("9pt", "[67, 40]");
  deck.more = "  precision: fp32\n";
  compare(deck, {4}, {", steps_per_sweep: 3"});
}

TEST_P(PlaneBoxes, HoldPointsOfLayoutHiperc) {
  Case deck = walled("9pt");
  deck.grid = "{layout: hiperc, points: [41, 50], spacing: 1}";
  deck.initial = "x + sin(y)";
  deck.walls =
      "{x_min: [{from: {y: 0}, to: {y: 24}, kind: dirichlet, value: 1}], y_max: {kind: dirichlet, value: x}, rest: "
      "{kind: no_flux}}";
  deck.time = "{end: 3}";
  deck.verify = "{}";
  compare(deck, {2, 4}, {box_sweeps[0], box_sweeps[1]});
}

TEST_P(PlaneBoxes, RestoredRunGoesOnWithTheSameBits) {
  if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP() << "an archive in memory is of one rank";
  compare_restored(read_deck(walled("5pt", "[101, 53]").text()), {{1, 3}, {2, 2}, {4, 1}, {3, 2}});
}

INSTANTIATE_TEST_SUITE_P(Executors, PlaneBoxes, every_executor(), executor_name);

BoxNeeds square(Index cells) {
  BoxNeeds needs;
  needs.grid.dimensions = 2;
  needs.grid.extent[0] = needs.grid.extent[1] = cells;
  needs.steps = 8;
  return needs;
}

BoxPartition chosen(const BoxNeeds& needs, Index parts) {
  return choose_boxes(needs, std::vector<double>(static_cast<std::size_t>(parts), 1.0), {});
}

TEST(ChoosePlaneBoxes, KeepsSlabsWhileTheyCostLittle) {
  for (const Index parts : {1, 2, 3, 4}) EXPECT_EQ(chosen(square(4096), parts).columns(), 1);
  EXPECT_EQ(chosen(square(8192 * 4), 16).columns(), 1);
}

TEST(ChoosePlaneBoxes, CutsXWhereManyPartsShareAPlane) {
  const BoxNeeds needs = square(8192 * 32);
  const BoxPartition boxes = chosen(needs, 1024);
  EXPECT_EQ(boxes.columns(), 32);
  EXPECT_EQ(boxes.layers(), 32);
  for (int n = 0; n < 32; ++n) EXPECT_EQ(boxes.y().block(n).size(), 8192);
  const BoxCost cost = cost_of(needs, {32, 32});
  EXPECT_EQ(cost.bytes, 8.0 * (4 * 8192 + 4 * 8));
  EXPECT_EQ(cost.messages, 8);
}

TEST(ChoosePlaneBoxes, CutsAtWholePiecesOfLines) {
  BoxNeeds needs = square(8);
  needs.grid.extent[0] = 101;
  const BoxPartition boxes = chosen(needs, 32);
  EXPECT_EQ(boxes.columns(), 4);
  for (int n = 0; n < 4; ++n) EXPECT_EQ(boxes.y().block(n).lo[0], 32 * n);
  try {
    chosen(needs, 33);
    FAIL();
  } catch (const DeckError& error) {
    EXPECT_STREQ(error.what(),
                 "cannot cut 101 columns times 8 rows into 33 parts of at least 1: at most 32 parts fit, best up to "
                 "here 32 (4 along x times 8 along y); use fewer ranks or devices, or enlarge the problem");
  }
}

TEST(ChoosePlaneBoxes, ChecksWhatADeckAsksFor) {
  Case deck = walled("5pt");
  const auto fault = [&](const std::string& parts, std::size_t count) {
    deck.grid = "{layout: fv, size: [1, 1.3], cells: [37, 53], parts: " + parts + "}";
    DiffusionOptions options;
    return read_deck(deck.text(), options, {1, std::vector<double>(count, 1.0)});
  };
  EXPECT_EQ(fault("[2, 2]", 4), "");
  EXPECT_EQ(fault("[1, 4]", 4), "");
  EXPECT_THAT(fault("[2, 2]", 6), testing::HasSubstr("diffusion.grid.parts: makes 4 parts; this run has 6"));
  EXPECT_THAT(fault("[3, 1]", 3),
              testing::HasSubstr("makes parts of less than 1 columns or rows, columns in pieces of 32; at most 2 along "
                                 "x times 53 along y fit"));
  deck.time = "{end: 0.002, steps_per_sweep: 8}";  // five columns are narrower than halos of eight
  EXPECT_THAT(fault("[2, 1]", 2), testing::HasSubstr("at most 1 along x times 6 along y fit"));
  deck.time = "{end: 0.002, kernel: tiled}";
  EXPECT_THAT(fault("[2, 1]", 2), testing::HasSubstr("cuts along x, which the kernel tiled does not take"));
}

// Steppers that take whole lines keep slabs, and say so.
TEST(ChoosePlaneBoxes, RefusesOtherEquations) {
  const auto fault = [&](const std::string& equation, const std::string& more, const std::string& parts) {
    DiffusionOptions options;
    const std::string grid = "  grid: {layout: fv, size: [1, 1], cells: [96, 96], parts: " + parts + "}\n  ";
    const std::string rest = "\n  walls: {rest: {kind: no_flux}}\n  stencil: {mask: 5pt, co: 0.1}\n";
    return read_deck("problem: diffusion\ndiffusion:\n" + grid + equation + rest + "  time: {end: 1e-5" + more + "}\n",
                     options, {1, {1, 1, 1, 1}});
  };
  for (const auto& [equation, more] :
       {std::pair{"equation: {kind: diffusion, D: 1 + x, initial: x}", ", method: rkc, tolerance: 1e-3"},
        {"equation: {kind: diffusion, D: 1, initial: x}", ", method: rkl2, tolerance: 1e-3"},
        {"equation: {kind: cahn_hilliard, mobility: 1, kappa: 0.01, rho: 1, wells: [0, 1], initial: x}",
         ", method: rkc, tolerance: 1e-3"},
        {"fields: [u]\n  equations: {u: {D: 1, source: -u, initial: x}}", ", method: euler"}}) {
    EXPECT_THAT(fault(equation, more, "[2, 2]"),
                testing::HasSubstr("cuts along x, which is for Euler steps of one field with a constant D and no "
                                   "source; slabs are [1, 4]"))
        << equation;
    EXPECT_THAT(fault(equation, more, "[1, 4]"), testing::Not(testing::HasSubstr("grid.parts"))) << equation;
  }
}

}  // namespace
}  // namespace halocline::diffusion
