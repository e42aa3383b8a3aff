// Parts in boxes of y and z: the same bits as on one part, for all equations, masks, walls and kernels; restarts on
// other layouts; how boxes are chosen.
#include <gmock/gmock.h>

#include "lib/problems/diffusion/boxes/choose_boxes.hpp"
#include "tests/unit/diffusion/boxes_cases.hpp"

namespace halocline::diffusion {
namespace {

// Walls of every kind, some moving, pieces that end inside of parts.
Case walled(const std::string& mask) {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1.1, 1.2], cells: [13, 22, 25]}";
  deck.initial = "x^2 + sin(5*y) - z";
  deck.walls =
      "{x_min: [{from: {y: 0, z: 0}, to: {y: 1/2, z: 1}, kind: dirichlet, value: z + y}], y_min: [{from: {x: 0, z: "
      "0.3}, to: {x: 1, z: 0.9}, kind: robin, transfer: 3, value: x*z}], y_max: [{kind: dirichlet, value: "
      "sin(2000*t)*z}], z_max: [{kind: robin, transfer: 2, value: x*y}], z_min: [{kind: neumann, value: y - 100*t}], "
      "rest: {kind: no_flux}}";
  deck.stencil = "{mask: " + mask + ", co: 0.5}";
  deck.time = "{end: 0.001}";
  return deck;
}

Case around(const std::string& mask, const std::string& walls) {
  Case deck = walled(mask);
  deck.walls = walls;
  deck.initial = "sin(2*pi*y/1.1) + cos(2*pi*z/1.2)*x";
  return deck;
}

class Boxes : public BoxesTest {};

TEST_P(Boxes, HaveTheSameBitsForAllMasks) {
  for (const std::string mask : {"7pt", "19pt", "27pt", "cross4"}) compare(walled(mask), {2, 4}, box_sweeps);
  EXPECT_GE(compared_, Communicator(MPI_COMM_WORLD).size() > 2 ? 24 : 36);
}

// Large enough to compute the inside of several steps while messages travel.
TEST_P(Boxes, ThatSendBeforeTheyAreDoneHaveTheSameBits) {
  Case deck = walled("19pt");
  deck.grid = "{layout: fv, size: [1, 1.1, 1.2], cells: [7, 66, 68]}";
  deck.time = "{end: 0.0003}";
  compare(deck, {4}, {box_sweeps[1]});
}

TEST_P(Boxes, OfThreeTimesTwoHaveTheSameBits) { compare(walled("27pt"), {6}, {", kernel: auto, steps_per_sweep: 3"}); }

TEST_P(Boxes, HaveTheSameBitsOnPeriodicDomains) {
  for (const char* walls : {"{rest: {kind: periodic}}",
                            "{y_min: {kind: periodic}, y_max: {kind: periodic}, z_min: {kind: dirichlet, value: x}, "
                            "rest: {kind: no_flux}}",
                            "{z_min: {kind: periodic}, z_max: {kind: periodic}, rest: {kind: no_flux}}"})
    compare(around("27pt", walls), {2, 4}, {box_sweeps[0], box_sweeps[1]});
}

TEST_P(Boxes, HaveTheSameBitsInSinglePrecision) {
  Case deck = walled("27pt");
  deck.more = "  precision: fp32\n";
  compare(deck, {4}, {box_sweeps[1]});
}

TEST_P(Boxes, HoldPointsOfLayoutHiperc) {
  Case deck = walled("19pt");
  deck.grid = "{layout: hiperc, points: [15, 24, 21], spacing: 1}";
  deck.initial = "x + sin(y) - z";
  deck.walls =
      "{x_min: [{from: {y: 0, z: 0}, to: {y: 11, z: 9}, kind: dirichlet, value: 1}], y_max: {kind: dirichlet, value: "
      "z}, z_min: {kind: dirichlet, value: y}, rest: {kind: no_flux}}";
  deck.time = "{end: 3}";
  compare(deck, {4}, {box_sweeps[0], box_sweeps[1]});
}

std::string block_of(const std::string& equation, const std::string& walls, const std::string& mask,
                     const std::string& time, const std::string& verify = "{}") {
  return "problem: diffusion\ndiffusion:\n  grid: {layout: fv, size: [1, 1.1, 1.2], cells: [11, 16, 14]}\n  " +
         equation + "\n  walls: " + walls + "\n  stencil: {mask: " + mask + "}\n  time: " + time +
         "\nverify: " + verify + "\n";
}

const char* const some_walls =
    "{x_min: {kind: flux, value: y*z}, y_max: {kind: robin, transfer: 2, value: z}, z_min: {kind: dirichlet, value: x "
    "+ "
    "y*t}, rest: {kind: no_flux}}";

TEST_P(Boxes, HaveTheSameBitsForVaryingCoefficients) {
  const std::string flux =
      "equation: {kind: diffusion, D: \"1 + x*y + z*c^2\", source: \"sin(y) - c*z\", initial: \"x*y - z\"}";
  compare(read_deck(block_of(flux, some_walls, "7pt, co: 0.3", "{end: 0.002}", "{mass_balance: 1e-9}")), {2, 4});
  compare(read_deck(block_of(flux, some_walls, "7pt", "{end: 0.01, method: rkc, tolerance: 1e-4}")), {4});
  const std::string layered =
      "equation: {kind: diffusion, D: \"if(y < 0.5, 1, 0.1)\", face_mean: arithmetic, initial: \"x*y - z\"}";
  compare(read_deck(block_of(layered, "{rest: {kind: periodic}}", "7pt, co: 0.3", "{end: 0.002}")), {4});
}

TEST_P(Boxes, HaveTheSameBitsForPhaseFields) {
  const std::string split =
      "equation: {kind: cahn_hilliard, mobility: 1, kappa: 0.01, rho: 1, wells: [0, 1], initial: "
      "\"0.5 + 0.1*sin(7*x*y)*cos(5*z)\"}";
  for (const char* walls : {"{rest: {kind: no_flux}}", "{rest: {kind: periodic}}"})
    compare(read_deck(block_of(split, walls, "27pt, co: 0.5", "{end: 0.0001}")), {2, 4});
  compare(read_deck(block_of(split, "{rest: {kind: no_flux}}", "7pt", "{end: 0.001, method: rkl2, tolerance: 1e-4}")),
          {4});
  const std::string by_formulas =
      "equation: {kind: cahn_hilliard, mobility: c*(1 - c), kappa: 0.01, f: c^2*(1 - c)^2, initial: \"0.5 + "
      "0.1*sin(7*x*y)*cos(5*z)\"}";
  compare(read_deck(block_of(by_formulas, "{rest: {kind: no_flux}}", "7pt, co: 0.5", "{end: 0.0002}")), {4});
}

TEST_P(Boxes, HaveTheSameBitsForSeveralFields) {
  const std::string two =
      "fields: [u, v]\n  equations:\n    u: {D: \"0.2 + y*z\", source: \"0.04*(1 - u) - u*v^2\", initial: \"1 - "
      "x*y\"}\n "
      "   v: {D: 0.1, source: \"u*v^2 - 0.1*v\", initial: \"z*y\"}";
  compare(read_deck(block_of(two, some_walls, "7pt, co: 0.5", "{end: 0.01}",
                             "{fields: {u: {mass_balance: 1e-9}, v: {mass_balance: 1e-9}}}")),
          {2, 4});
}

TEST_P(Boxes, RestoredRunGoesOnWithTheSameBits) {
  if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP() << "an archive in memory is of one rank";
  const std::string flux = "equation: {kind: diffusion, D: 1, source: \"sin(y) - c*z\", initial: \"x*y - z\"}";
  for (const std::string& text :
       {walled("cross4").text(), block_of(flux, some_walls, "7pt, co: 0.3", "{end: 0.005}", "{mass_balance: 1e-9}")})
    compare_restored(read_deck(text), {{1, 3}, {2, 2}, {4, 1}, {3, 2}});
}

INSTANTIATE_TEST_SUITE_P(Executors, Boxes, every_executor(), executor_name);

BoxNeeds cube(Index cells) {
  BoxNeeds needs;
  needs.grid.dimensions = 3;
  for (Index& extent : needs.grid.extent) extent = cells;
  return needs;
}

BoxPartition chosen(const BoxNeeds& needs, Index parts) {
  return choose_boxes(needs, std::vector<double>(static_cast<std::size_t>(parts), 1.0), {});
}

TEST(ChooseBoxes, KeepsSlabsWhileTheyCostLittle) {
  for (const Index parts : {1, 2, 3, 4}) EXPECT_EQ(chosen(cube(512), parts).columns(), 1);
  EXPECT_EQ(chosen(cube(16), 8).columns(), 1);  // of messages alone
}

TEST(ChooseBoxes, CutsFewPartsAlongYWhereTheyHaveNoPlanes) {
  BoxNeeds needs = cube(16);
  needs.grid.extent[2] = 3;
  EXPECT_EQ(chosen(needs, 3).columns(), 1);
  EXPECT_EQ(chosen(needs, 4).columns(), 4);
  needs.least = 2;
  EXPECT_EQ(chosen(needs, 2).columns(), 2);
}

TEST(ChooseBoxes, HasHaloBytesThatFallWithTheNumberOfParts) {
  const BoxNeeds needs = cube(1024);
  double before = 1e300;
  for (const Index parts : {16, 64, 256, 1024}) {
    const BoxPartition boxes = chosen(needs, parts);
    EXPECT_EQ(boxes.parts(), parts);
    const double bytes = cost_of(needs, {boxes.columns(), boxes.layers()}).bytes;
    EXPECT_LT(bytes, before);
    before = bytes;
  }
  const BoxPartition most = chosen(needs, 1024);
  EXPECT_EQ(most.columns(), 32);
  EXPECT_EQ(most.layers(), 32);
  EXPECT_EQ(cost_of(needs, {32, 32}).bytes, 8.0 * 1024 * (4 * 32 + 4));
  EXPECT_EQ(cost_of(needs, {32, 32}).messages, 8);
}

TEST(ChooseBoxes, TellsTheLargestAndTheBestNumberOfParts) {
  BoxNeeds needs = cube(8);
  needs.least = 2;
  EXPECT_EQ(chosen(needs, 16).columns(), 4);
  try {
    chosen(needs, 17);
    FAIL();
  } catch (const DeckError& error) {
    EXPECT_STREQ(
        error.what(),
        "cannot cut 8 rows along y times 8 planes into 17 parts of at least 2: at most 16 parts fit, best up to "
        "here 16 (4 along y times 4 along z); use fewer ranks or devices, or enlarge the problem");
  }
  EXPECT_THROW(chosen(needs, 11), DeckError);  // no table has so many
}

TEST(ChooseBoxes, ChecksWhatADeckAsksFor) {
  Case deck = walled("7pt");
  const auto fault = [&](const std::string& parts, std::size_t count) {
    deck.grid = "{layout: fv, size: [1, 1.1, 1.2], cells: [13, 22, 25], parts: " + parts + "}";
    DiffusionOptions options;
    return read_deck(deck.text(), options, {1, std::vector<double>(count, 1.0)});
  };
  EXPECT_EQ(fault("[2, 2]", 4), "");
  EXPECT_EQ(fault("[1, 4]", 4), "");
  EXPECT_THAT(fault("[2, 2]", 6), testing::HasSubstr("diffusion.grid.parts: makes 4 parts; this run has 6"));
  EXPECT_THAT(fault("[2]", 2), testing::HasSubstr("must be a list of two whole numbers"));
  EXPECT_THAT(fault("[1.5, 2]", 3), testing::HasSubstr("must be a list of two whole numbers"));
  EXPECT_THAT(fault("[32, 1]", 32), testing::HasSubstr("at most 22 along y times 25 along z fit"));
}

}  // namespace
}  // namespace halocline::diffusion
