// Figures of the whole method against those of an independent program, and what is shown between levels.
#include <cmath>

#include "tests/unit/fractional/fractional_runs.hpp"
#include "tests/unit/fractional/lod_reference.hpp"

namespace halocline::fractional {
namespace {

// The test of the psi-Caputo CUDA paper.
DeckText paper(const std::string& scheme, const std::string& history) {
  DeckText deck;
  deck.more = "  definitions: [u = x^2*y^2*z^2 + t^2]\n  history: " + history + "\n";
  deck.grid = "{size: [1, 1, 1], cells: [20, 20, 20]}";
  deck.equation = {{"order", "0.8"},
                   {"psi", "t^0.8"},
                   {"D", "1"},
                   {"initial", "x^2*y^2*z^2"},
                   {"source", "2.1514736989240763*t^1.36 - 2*(x^2*y^2 + y^2*z^2 + x^2*z^2)"}};
  deck.sides = "{rest: {kind: dirichlet, value: u}}";
  deck.time = "{end: 0.5, steps: 200, scheme: " + scheme + "}";
  deck.verify = "{exact: u}";
  return deck;
}

TEST(Figures, TestOfThePaper) {
  EXPECT_NEAR(run(paper("l1_t", "{engine: direct}"))["max_error.c"], 3.35e-5, 5e-8);
  EXPECT_NEAR(run(paper("l1", "{engine: exponentials}"))["max_error.c"], 4.02e-5, 5e-8);
  EXPECT_NEAR(run(paper("alikhanov", "{engine: direct}"))["max_error.c"], 1.07e-8, 5e-11);
  EXPECT_NEAR(run(paper("alikhanov", "{engine: exponentials}"))["max_error.c"], 1.07e-8, 5e-11);
}

TEST(Figures, SeriesOfThePaper) {
  const Result result = run(paper("l1_t", "{engine: series, terms: 16}"));
  EXPECT_NEAR(result["max_error.c"], 8.70e-3, 1e-5);
  EXPECT_EQ(result["terms"], 16);
  EXPECT_NEAR(result["kernel_error"], 0.885, 5e-4);  // where the kernel is largest
  EXPECT_NEAR(run(paper("l1_t", "{engine: series, terms: 64}"))["max_error.c"], 3.36e-3, 1e-5);
}

DeckText published(const std::string& solver, double end = 0.5) {
  DeckText deck = paper("l1_t", "{engine: direct, block: 1}");
  deck.more += "  solver: {split: lod, " + solver + "}\n";
  deck.time =
      "{end: " + std::to_string(end) + ", steps: " + std::to_string(std::lround(end / 0.0025)) + ", scheme: l1_t}";
  return deck;
}

// Largest errors: at the end, and of all steps that of the first.
TEST(Figures, SchemeOfThePaper) {
  EXPECT_NEAR(run(published("source_split: thirds"))["max_error.c"], 6.62e-3, 5e-6);
  EXPECT_NEAR(run(published("intermediate: consistent"))["max_error.c"], 4.61e-4, 5e-7);
  EXPECT_NEAR(run(published("source_split: thirds", 0.0025))["max_error.c"], 1.20e-2, 5e-5);
  EXPECT_NEAR(run(published("source_split: first", 0.0025))["max_error.c"], 2.67e-2, 5e-5);
  EXPECT_NEAR(run(published("source_split: last", 0.0025))["max_error.c"], 2.20e-2, 5e-5);
}

TEST(Figures, StepsOfThePaperNodeByNode) {
  for (const bool consistent : {false, true})
    for (const auto& [split, shares] : {std::pair{"thirds", std::array<long double, 3>{1 / 3.0L, 1 / 3.0L, 1 / 3.0L}},
                                        {"first", {1, 0, 0}},
                                        {"last", {0, 0, 1}}}) {
      DeckText deck;
      deck.grid = "{size: [1, 0.5, 2], cells: [5, 4, 6]}";
      deck.equation = {{"order", "0.6"},
                       {"D", "0.3"},
                       {"sigma", "1.5"},
                       {"initial", "cos(y) + z*x + sin(3*x)*y"},
                       {"source", "x*t + y^2"}};
      deck.sides = "{rest: {kind: dirichlet, value: cos(y) + z*x + t^2}}";
      deck.time = "{end: 0.4, steps: 4, scheme: l1}";
      deck.more = std::string("  solver: {split: lod, source_split: ") + split +
                  ", intermediate: " + (consistent ? "consistent" : "end_time") + "}\n";
      const std::vector<double> found = run(deck).output.parts.front().values;
      LodReference reference;
      reference.shares = shares;
      reference.consistent = consistent;
      const auto expected = reference.after(4);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t n = 0; n < found.size(); ++n)
        ASSERT_NEAR(found[n], static_cast<double>(expected[n]), 2e-14) << split << " " << consistent << " " << n;
    }
}

// A steady solution, which the published scheme misses by an amount that depends on the step.
TEST(Figures, SteadyStateOfThePaper) {
  const auto steady = [](const std::string& solver) {
    DeckText deck = paper("l1_t", "{engine: direct}");
    deck.grid = "{size: [1, 1, 1], cells: [16, 16, 16]}";
    deck.equation["source"] = "-2*(x^2*y^2 + y^2*z^2 + x^2*z^2)";
    deck.sides = "{rest: {kind: dirichlet, value: x^2*y^2*z^2}}";
    deck.time = "{end: 10, steps: 200, scheme: l1_t}";
    deck.verify = "{exact: x^2*y^2*z^2}";
    deck.more += "  solver: {" + solver + "}\n";
    return run(deck)["max_error.c"];
  };
  EXPECT_LT(steady("predictor: extrapolated"), 1e-14);
  EXPECT_NEAR(steady("split: lod"), 2.72e-2, 5e-5);
  EXPECT_NEAR(steady("split: lod, intermediate: consistent"), 1.94e-3, 5e-6);
}

TEST(Figures, DecayByTheMittagLefflerFunction) {
  for (const auto& [cells, expected] : {std::pair{"8, 8, 8", 3.49e-3}, {"16, 16, 16", 8.51e-4}}) {
    DeckText deck;
    deck.grid = std::string("{size: [1, 1, 1], cells: [") + cells + "]}";
    deck.equation = {{"order", "0.5"}, {"D", "1/(3*pi^2)"}, {"initial", "sin(pi*x)*sin(pi*y)*sin(pi*z)"}};
    deck.time = "{end: 1, steps: 64, mesh: graded}";
    deck.verify = "{reference: mittag_leffler, rate: 1}";
    EXPECT_NEAR(run(deck)["max_error.c"], expected, 5e-3 * expected) << cells;
  }
}

TEST(Figures, MassOfAClosedBox) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [10, 9, 8]}";
  deck.equation = {{"order", "0.6"}, {"D", "0.1 + x*y + z^2"}, {"sigma", "1 + x"}, {"initial", "exp(-10*(x^2 + z^2))"}};
  deck.sides = "{rest: {kind: no_flux}}";
  deck.time = "{end: 1, steps: 60, mesh: graded}";
  deck.verify = "{mass_balance: 1e-13}";
  EXPECT_LT(run(deck)["mass_balance"], 1e-14);
}

// c is linear in psi(t) and in x, y: the scheme and what is shown between levels are exact.
DeckText linear() {
  DeckText deck;
  deck.more = "  definitions: [u = 1 + x + t^2*(1 + y)]\n";
  deck.equation = {{"order", "1"}, {"psi", "t^2"}, {"D", "1"}, {"initial", "1 + x"}, {"source", "1 + y"}};
  deck.sides = "{rest: {kind: dirichlet, value: u}}";
  deck.time = "{end: 1, steps: 10}";
  deck.verify = "{exact: u}";
  return deck;
}

TEST(Figures, OutputBetweenLevels) {
  const Result often = run(linear(), 0.03), once = run(linear());
  auto kept = often.output.kept;
  ASSERT_EQ(kept["output_time"].size(), 35U);  // 0, 33 times, the end
  EXPECT_EQ(kept["output_time"][5], 0.15);
  EXPECT_EQ(kept["output_step"][5], 2);  // the later level
  for (const double error : kept["max_error"]) EXPECT_LT(error, 1e-13);
  EXPECT_EQ(often.output.parts.front().values, once.output.parts.front().values);
}

TEST(Figures, TimesOfSteps) {
  const Communicator self(MPI_COMM_SELF);
  Running running(self, {make_omp_executor(1)}, read_deck(linear().text()));
  running->initialize();
  EXPECT_EQ(running->next_step_time(4), 0.4);
  running.advance(0.35);  // shown between levels 3 and 4
  EXPECT_EQ(running->next_step_time(4), 0.4);
  running.advance(0.4);
  EXPECT_EQ(running->next_step_time(4), 0.8);
  EXPECT_TRUE(std::isinf(running->next_step_time(11)));
}

}  // namespace
}  // namespace halocline::fractional
