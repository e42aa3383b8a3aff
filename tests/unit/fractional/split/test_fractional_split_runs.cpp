// Whole runs whose steps sweeps would spoil, or that are solved as a whole.
#include "lib/base/error.hpp"
#include "tests/unit/fractional/fractional_runs.hpp"

namespace halocline::fractional {
namespace {

// A mode of order 0.05, whose first steps sweeps spoil: figures of an independent program.
TEST(FractionalSplitRuns, EstimatesFindStepsThatSweepsSpoil) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [10, 10, 10]}";
  deck.equation = {{"order", "0.05"}, {"D", "1/(3*pi^2)"}, {"initial", "sin(pi*x)*sin(pi*y)*sin(pi*z)"}};
  deck.time = "{end: 1, steps: 64}";
  std::map<std::string, std::vector<double>> centers;
  std::map<std::string, double> unsplit_steps;
  for (const std::string split : {"unsplit", "adi", "auto"}) {
    deck.more = "  solver: {split: " + split + "}\n";
    const Communicator self(MPI_COMM_SELF);
    Running running(self, {make_omp_executor(1)}, read_deck(deck.text()));
    running->initialize();
    for (int l = 1; l <= 64; ++l) {
      running.advance(l / 64.0);
      centers[split].push_back(running.result()["max"]);
    }
    unsplit_steps[split] = running.result()["unsplit_steps"];
  }
  const auto error = [&](const std::string& split) {
    double largest = 0;
    for (std::size_t l = 0; l < 64; ++l)
      largest = std::max(largest, std::abs(centers[split][l] - centers["unsplit"][l]));
    return std::pair(largest, std::abs(centers[split].back() - centers["unsplit"].back()));
  };
  EXPECT_NEAR(error("adi").first, 5.06e-2, 2e-4);
  EXPECT_NEAR(error("adi").second, 9.94e-7, 2e-8);
  EXPECT_NEAR(error("auto").first, 2.50e-4, 5e-6);
  EXPECT_NEAR(error("auto").second, 8.56e-7, 2e-8);
  EXPECT_EQ(unsplit_steps["auto"], 2);
  EXPECT_EQ(unsplit_steps["adi"], 0);
  EXPECT_EQ(unsplit_steps["unsplit"], 64);
}

// Rough data and a small order: after each step that is solved as a whole errors of sweeps build up anew, between
// powers of two as well, until they are two percent of c.
TEST(FractionalSplitRuns, ErrorsThatBuildUpAgainAreLookedAt) {
  constexpr int steps = 63;
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [10, 10, 10]}";
  deck.equation = {{"order", "0.1"}, {"D", "10"}, {"initial", "if(max(abs(x - 0.5), abs(y - 0.4)) < 0.2, 1, 0)"}};
  deck.time = "{end: 1, steps: 63}";
  std::map<std::string, std::vector<double>> largest;
  for (const std::string split : {"unsplit", "auto"}) {
    deck.more = "  solver: {split: " + split + "}\n";
    const Communicator self(MPI_COMM_SELF);
    Running running(self, {make_omp_executor(1)}, read_deck(deck.text()));
    running->initialize();
    for (int l = 1; l <= steps; ++l) {
      running.advance(l / static_cast<double>(steps));
      largest[split].push_back(running.result()["max"]);
    }
  }
  for (std::size_t l = 0; l < steps; ++l)
    EXPECT_NEAR(largest["auto"][l] / largest["unsplit"][l], 1, 1e-3) << "step " << l + 1;
}

// D of a sphere a hundred times that around it: sweeps would blow up.
TEST(FractionalSplitRuns, ProbesFindSweepsThatBlowUp) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [16, 16, 16]}";
  deck.equation = {{"order", "0.5"},
                   {"D", "if((x - 0.5)^2 + (y - 0.5)^2 + (z - 0.5)^2 < 0.09, 2, 0.02)"},
                   {"initial", "sin(pi*x)*sin(pi*y)*sin(pi*z)"}};
  deck.more = "  solver: {split: adi}\n";
  deck.time = "{end: 1, steps: 64}";
  try {
    run(deck);
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("with `auto` steps are"), std::string::npos) << error.what();
  }
  deck.more = "";
  for (const auto& [scheme, center] : {std::pair{"alikhanov", 3.703822e-1}, {"l1", 3.708721e-1}}) {
    deck.time = std::string("{end: 1, steps: 64, scheme: ") + scheme + "}";
    const Result result = run(deck);
    EXPECT_NEAR(result.output.parts.front().values[17 * 17 * 8 + 17 * 8 + 8], center, 1e-7);
    EXPECT_EQ(result["unsplit_steps"], 64);
    EXPECT_NEAR(result["iterations"] / 64, 8, 1);  // 33 by the diagonal
  }
}

// D is constant, but sigma is not, so nu is not either: c stays between what is given.
TEST(FractionalSplitRuns, ProbesFindWhatVaryingFactorsDo) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [8, 8, 8]}";
  deck.time = "{end: 1, steps: 20}";
  deck.sides = "{x_min: {kind: dirichlet, value: t*sin(3*y)*z}, rest: {kind: no_flux}}";
  deck.equation = {{"order", "0.6"}, {"D", "1"}, {"initial", "0"}, {"sigma", "if(x + y + z < 1.5, 0.01, 10)"}};
  const Result result = run(deck);
  EXPECT_EQ(result["unsplit_steps"], 20);
  EXPECT_GE(result["min"], -1e-6);
  EXPECT_LE(result["max"], 1);
}

// What `auto` makes of a deck: how far its result lies from that of unsplit steps, over the largest c of those.
struct Left {
  double difference = 0, unsplit_steps = 0;
};
Left left_by_auto(DeckText deck) {
  deck.more = "  solver: {split: unsplit}\n";
  const Result exact = run(deck);
  deck.more = "";
  const Result result = run(deck);
  const auto& expected = exact.output.parts.front().values;
  const auto& found = result.output.parts.front().values;
  double most = 0, largest = 0;
  for (std::size_t n = 0; n < found.size(); ++n) {
    most = std::max(most, std::abs(found[n] - expected[n]));
    largest = std::max(largest, std::abs(expected[n]));
  }
  return {most / largest, result["unsplit_steps"]};
}

// A side that jumps between the steps at which sweeps are looked at anyway.
TEST(FractionalSplitRuns, JumpsOfDataAreLookedAt) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [8, 8, 8]}";
  deck.time = "{end: 0.4375, steps: 14}";
  deck.equation = {{"order", "0.3"}, {"D", "0.1"}, {"initial", "0"}};
  for (const std::string driven : {"side", "source"}) {
    if (driven == "side") {
      deck.sides = "{rest: {kind: dirichlet, value: \"if(t > 0.3, 1, 0)\"}}";
    } else {
      deck.sides = "{rest: {kind: dirichlet, value: 0}}";
      deck.equation["source"] = "if(t > 0.3, 5*sin(9*x), 0)";
    }
    const Left left = left_by_auto(deck);
    EXPECT_GT(left.unsplit_steps, 0) << driven;
    EXPECT_LT(left.unsplit_steps, 14);
    EXPECT_LT(left.difference, 5e-3) << driven;
  }
}

// A source that begins after a side which drove c more, but along one axis only, and is forgotten.
TEST(FractionalSplitRuns, WhatBeginsLateIsLookedAt) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [7, 9, 5]}";
  deck.time = "{end: 0.28, steps: 7}";
  deck.equation = {{"order", "0.1"},
                   {"psi", "t^2"},
                   {"D", "100"},
                   {"initial", "0"},
                   {"source", "exp(-100*(t - 0.6)^2)*if(x + y > 1.2, 50, 0)"}};
  deck.sides =
      "{x_min: {kind: dirichlet, value: exp(-50*t)}, x_max: {kind: robin, transfer: 0.1, value: exp(-50*t)}, "
      "rest: {kind: no_flux}}";
  EXPECT_LT(left_by_auto(deck).difference, 2e-3);
}

// Sides that give edges different values: what sweeps leave on them is not what the step has there in the end.
TEST(FractionalSplitRuns, EdgesThatGetTwoValuesAreLookedAt) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [4, 6, 7]}";
  deck.time = "{end: 0.16, steps: 4}";
  deck.equation = {{"order", "0.1"}, {"psi", "t^2"}, {"D", "100"}, {"initial", "0"}};
  deck.sides =
      "{x_min: {kind: dirichlet, value: sin(3*t)*(1 + z)}, y_min: {kind: dirichlet, value: 1 + x*y*t}, "
      "y_max: {kind: dirichlet, value: exp(-50*t)}, z_min: {kind: periodic}, z_max: {kind: periodic}, "
      "x_max: {kind: robin, transfer: 0.1, value: exp(-50*t)}}";
  EXPECT_LT(left_by_auto(deck).difference, 1e-3);
}

// A side that is all but given, by a transfer that makes some rows 1e9 times larger than others: as if it were given.
TEST(FractionalSplitRuns, RowsOfAnySizeAreSolved) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [8, 8, 8]}";
  deck.time = "{end: 1, steps: 8}";
  const std::string value = "value: 1 + t + y*z}";
  for (const std::string velocity : {"", "{x: 0.5, y: 0.2}"}) {
    deck.equation = {{"order", "0.6"}, {"D", "1 + x"}, {"initial", "(1 + y*z)*(1 - x) + x"}, {"source", "9*sin(7*y)"}};
    if (!velocity.empty()) deck.equation["velocity"] = velocity;
    deck.more = "  solver: {split: unsplit}\n";
    deck.sides = "{x_min: {kind: dirichlet, " + value + ", rest: {kind: no_flux}}";
    const Result given = run(deck);
    deck.sides = "{x_min: {kind: robin, transfer: 1e9, " + value + ", rest: {kind: no_flux}}";
    const Result penalty = run(deck);
    const auto& expected = given.output.parts.front().values;
    const auto& found = penalty.output.parts.front().values;
    for (std::size_t n = 0; n < found.size(); ++n) ASSERT_NEAR(found[n], expected[n], 1e-6) << velocity << n;
    EXPECT_LE(penalty["iterations"], 3 * given["iterations"]) << velocity;
  }
}

// A known solution that is carried, fast or slowly. Of 80 steps errors of fast sweeps grow for a while only, but by a
// factor of thousands.
TEST(FractionalSplitRuns, ProbesTellFastTransportFromSlow) {
  DeckText deck;
  deck.more =
      "  definitions:\n    - q = (1 + x^2)*(1 + y^2)*(1 - z^2/2)\n    - u = (1 + t^2)*q\n"
      "    - qx = 2*x*(1 + y^2)*(1 - z^2/2)\n    - qy = 2*y*(1 + x^2)*(1 - z^2/2)\n"
      "    - qz = -z*(1 + x^2)*(1 + y^2)\n    - A = 1 + x/2\n    - B = 1 + y/4\n    - G = 1 + z/2\n"
      "    - flow = 0.3*(B*G*(qx/2 + A*2*(1 + y^2)*(1 - z^2/2)) + A*G*(qy/4 + B*2*(1 + x^2)*(1 - z^2/2)) + "
      "A*B*(qz/2 - G*(1 + x^2)*(1 + y^2)))\n";
  deck.grid = "{size: [1, 1, 1], cells: [10, 10, 10]}";
  deck.equation = {{"order", "0.6"},
                   {"D", "0.3*A*B*G"},
                   {"face_mean", "arithmetic"},
                   {"sigma", "1 + x*y/2"},
                   {"velocity", "{x: 10*v, y: 5*v, z: -5*v}"},
                   {"initial", "q"},
                   {"source", "(1 + x*y/2)*1.610086425694325*t^1.4*q + (1 + t^2)*(v*(10*qx + 5*qy - 5*qz) - flow)"}};
  deck.sides = "{rest: {kind: dirichlet, value: u}}";
  deck.verify = "{exact: u}";
  const std::string names = deck.more;
  const auto expect = [&](const char* v, int steps, double error, int unsplit_steps) {
    deck.more = "  constants: {v: " + std::string(v) + "}\n" + names;
    deck.time = "{end: 1, steps: " + std::to_string(steps) + "}";
    const Result result = run(deck);
    EXPECT_EQ(result["unsplit_steps"], unsplit_steps) << v << ", " << steps;
    EXPECT_NEAR(result["max_error.c"], error, 0.01 * error);
  };
  expect("1", 20, 7.59e-4, 20);
  expect("1", 40, 1.90e-4, 40);
  expect("1", 80, 4.74e-5, 80);
  expect("0.1", 20, 2.63e-5, 0);
  expect("0.1", 80, 1.39e-6, 0);
}

}  // namespace
}  // namespace halocline::fractional
