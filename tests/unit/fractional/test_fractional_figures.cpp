// Figures of the whole method against those of an independent program, and what is shown between levels.
#include <cmath>

#include "tests/unit/fractional/fractional_runs.hpp"
#include "tests/unit/fractional/lod_reference.hpp"
#include "tests/unit/fractional/manufactured_decks.hpp"

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

// The same in other numbers: how far results lie from those of doubles, and how large errors are.
struct Change {
  double most, error;
};
Change change_by(const std::string& precision, const std::string& scheme, const std::string& eps = "eps: 1e-9") {
  DeckText deck = paper(scheme, "{engine: exponentials, " + eps + "}");
  const Result exact = run(deck);
  deck.more += "  precision: " + precision + "\n";
  const Result found = run(deck);
  const auto &a = exact.output.parts.front().values, &b = found.output.parts.front().values;
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) most = std::max(most, std::abs(a[n] - b[n]));
  return {most, found["max_error.c"]};
}

TEST(Figures, TestOfThePaperInFloats) {
  for (const auto& [scheme, most] : {std::pair{"l1", 4e-9}, {"alikhanov", 2.2e-9}}) {
    const double change = change_by("mixed", scheme).most;
    EXPECT_LT(change, most) << scheme;
    EXPECT_GT(change, 1e-10) << scheme;  // these are other numbers
  }
  EXPECT_NEAR(change_by("fp32", "l1").error, 4.01e-5, 2e-7);
  EXPECT_LT(change_by("fp32", "alikhanov").error, 1.8e-7);
}

TEST(Figures, TestOfThePaperWithAHistoryInHalves) {
  for (const std::string scheme : {"l1", "alikhanov"}) {
    const double change = change_by("fp16_history", scheme, "eps: 1e-6").most;
    EXPECT_LT(change, 4e-6) << scheme;
    EXPECT_GT(change, 1e-7) << scheme;  // these are other numbers
  }
}

// As many steps as halves are for, where nothing but the history holds the mean. Numbers of any size, since each field
// counts in a unit of its own: the same bits but for the power of two.
TEST(Figures, HistoryInHalvesOfAnySize) {
  const auto scaled = [](const std::string& factor, const std::string& more) {
    DeckText deck;
    deck.grid = "{size: [1, 1, 1], cells: [6, 6, 6]}";
    deck.equation = {{"order", "0.8"},
                     {"D", "0.1"},
                     {"initial", factor + "*(1 + cos(pi*x)*cos(pi*y)*cos(pi*z))"},
                     {"source", factor + "*(1 + sin(3*t))"}};
    deck.sides = "{rest: {kind: no_flux}}";
    deck.time = "{end: 4, steps: 2000, scheme: l1}";
    deck.more = "  history: {engine: exponentials, eps: 1e-6}\n  solver: {split: adi}\n" + more;
    return run(deck).output.parts.front().values;
  };
  const std::string halves = "  precision: fp16_history\n";
  const auto exact = scaled("1", ""), found = scaled("1", halves);
  for (std::size_t n = 0; n < exact.size(); ++n) ASSERT_NEAR(found[n], exact[n], 4e-4 * exact[n]) << n;
  for (const int power : {-60, 60}) {
    const auto other = scaled("2^" + (power < 0 ? "(" + std::to_string(power) + ")" : std::to_string(power)), halves);
    for (std::size_t n = 0; n < found.size(); ++n) ASSERT_EQ(std::ldexp(other[n], -power), found[n]) << power;
  }
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

void expect_error(const DeckText& deck, double expected) {
  EXPECT_NEAR(run(deck)["max_error.c"], expected, 6e-3 * expected) << deck.text();
}

TEST(Figures, OneOrder) {
  expect_error(manufactured(0.8, 40, "l1", "t^0.8"), 1.26e-3);
  expect_error(manufactured(0.4, 40, "alikhanov", "t^0.8"), 1.62e-5);
  expect_error(manufactured(0.05, 20), 1.56e-4);
  expect_error(manufactured(0.95, 20), 1.15e-4);
  expect_error(manufactured(1, 20), 1.15e-4);
  expect_error(manufactured(1, 20, "l1"), 8.96e-3);
  DeckText box = manufactured(0.8, 80, "alikhanov", "t^0.8");
  box.grid = "{size: [1, 0.5, 2], cells: [8, 6, 12]}";
  expect_error(box, 2.00e-6);
}

TEST(Figures, ReactionsAndSinks) {
  DeckText stiff = manufactured(0.6, 20);
  stiff.equation["reaction"] = "1e6";
  stiff.equation["source"] += " + 1e6*u";
  expect_error(stiff, 1.71e-3);
  DeckText sink = manufactured(0.6, 40);
  sink.more.replace(sink.more.find("- u = T*q"), 9, "- u = T*q/4");
  sink.equation["initial"] = "q/4";
  const std::string linear = "(" + sink.equation["source"] + ")/4";
  sink.equation["source"] = linear + " + 1e4*(u^3 - c^3)";
  expect_error(sink, 1.06e-4);
  sink.equation["source"] = linear + " + 5*(c - c^3 - u + u^3)";
  expect_error(sink, 2.82e-5);
}

TEST(Figures, TransferThroughAllSides) {
  for (const auto& [order, expected] : {std::pair{0.8, 2.28e-4}, {0.4, 6.26e-4}}) {
    DeckText deck = manufactured(order, 20);
    deck.equation["D"] = "0.3";
    deck.equation["source"] = "(1 + x*y/2)*q*(" + derivative_text({{2, 1}}, order) + ") - T*0.3*second";
    deck.sides = R"(
    x_min: {kind: robin, transfer: 2, value: T*(q - qx/2)}
    x_max: {kind: robin, transfer: 0.7, value: T*(q + qx/0.7)}
    y_min: {kind: robin, transfer: 5, value: T*(q - qy/5)}
    y_max: {kind: robin, transfer: 1, value: T*(q + qy)}
    z_min: {kind: robin, transfer: 1, value: T*(q - qz)}
    z_max: {kind: robin, transfer: 3, value: T*(q + qz/3)})";
    expect_error(deck, expected);
  }
}

TEST(Figures, DependOnPsiByItsLevelsAlone) {
  for (const auto& [psi, end] :
       {std::pair{"t", 1.3}, {"t^0.8", std::pow(1.3, 1.25)}, {"log(1 + t)", std::expm1(1.3)}}) {
    DeckText deck = manufactured(0.6, 60, "l1", psi);
    deck.time = "{end: " + number_text(end) + ", steps: 60, scheme: l1, mesh: uniform_psi}";
    EXPECT_NEAR(run(deck)["max_error.c"], 4.5048829e-4, 1e-11) << psi;
  }
}

DeckText with_terms(DeckText deck, const std::string& terms) {
  deck.equation["terms"] = terms;
  return deck;
}

TEST(Figures, SeveralOrders) {
  const Powers smooth{{2, 1}, {3, 0.5}}, start{{1.4, 1}, {2, 0.5}};
  const auto two = [](const Powers& powers) {
    return derivative_text(powers, 1) + " + 0.5*(" + derivative_text(powers, 0.4) + ")";
  };
  const std::string terms = "[{order: 1}, {order: 0.4, coefficient: 0.5}]";
  expect_error(with_terms(manufactured(smooth, two(smooth), 20), terms), 2.06e-4);
  expect_error(with_terms(manufactured(smooth, two(smooth), 20, "l1"), terms), 2.09e-2);
  DeckText graded = with_terms(manufactured(start, two(start), 40), terms);
  graded.time = "{end: 1, steps: 40, mesh: graded, grading: 4}";
  expect_error(graded, 3.52e-4);
  const std::string three = derivative_text(smooth, 0.9) + " + 0.5*(" + derivative_text(smooth, 0.5) + ") + 0.2*(" +
                            derivative_text(smooth, 0.2) + ")";
  expect_error(with_terms(manufactured(smooth, three, 20),
                          "[{order: 0.9}, {order: 0.5, coefficient: 0.5}, {order: 0.2, coefficient: 0.2}]"),
               2.11e-4);
}

// Orders 0.9 below and 0.4 above a place along an axis.
DeckText two_media(const std::string& axis, int steps, const std::string& scheme) {
  const Powers powers{{2, 1}};
  const auto choice = [&](const std::string& below, const std::string& above) {
    return "if(" + axis + " < 0.45, " + below + ", " + above + ")";
  };
  return with_terms(
      manufactured(powers, choice(derivative_text(powers, 0.9), derivative_text(powers, 0.4)), steps, scheme),
      "[{order: 0.9, coefficient: '" + choice("1", "0") + "'}, {order: 0.4, coefficient: '" + choice("0", "1") + "'}]");
}

TEST(Media, AreTakenAtTheirOwnTimes) {
  expect_error(two_media("z", 40, "alikhanov"), 2.84e-5);
  expect_error(two_media("z", 80, "alikhanov"), 6.86e-6);  // by exponentials
  expect_error(two_media("z", 40, "l1"), 1.99e-3);
  const double coarse = run(two_media("x", 20, "alikhanov"))["max_error.c"];
  const double fine = run(two_media("x", 40, "alikhanov"))["max_error.c"];
  EXPECT_LT(fine, 7e-5);
  EXPECT_LT(fine, coarse / 3.9);
}

// Boundaries between media cut eight neighbors of a line.
DeckText scattered(const std::string& terms, const std::string& engine) {
  DeckText deck;
  deck.more = "  history: {engine: " + engine + ", block: 8}\n";
  deck.grid = "{size: [1, 0.5, 2], cells: [19, 5, 6]}";
  deck.equation = {{"order", ""},      {"terms", terms},        {"D", "0.3*(1 + x/2)*(1 + z/3)"},
                   {"sigma", "1 + y"}, {"source", "x*t - c^3"}, {"initial", "(1 + x)*cos(y) + z"}};
  deck.sides =
      "{x_min: {kind: dirichlet, value: cos(y) + z + t}, z_max: {kind: robin, transfer: 2, value: x*t}, rest: {kind: "
      "neumann, value: 0.1*y}}";
  deck.time = "{end: 1, steps: 60}";
  return deck;
}

TEST(Media, OfEqualOrdersAreOne) {
  const std::string apart =
      "[{order: 0.6, coefficient: step(0.4 - x - y)}, {order: 0.6, coefficient: 1 - step(0.4 - x - y)}]";
  const Result one = run(scattered("[{order: 0.6}]", "direct")), two = run(scattered(apart, "direct"));
  EXPECT_EQ(two.output.parts.front().values, one.output.parts.front().values);
  EXPECT_NEAR(run(scattered(apart, "exponentials"))["mass"], one["mass"], 1e-8);
}

TEST(Media, HaveTheSameHistoryByStatesAsByIncrements) {
  const std::string terms =
      "[{order: 0.8, coefficient: step(0.4 - x)}, {order: 0.3, coefficient: step(x - y)}, {order: 1, coefficient: "
      "0.5*step(z - 0.7)}, {order: 0.6, coefficient: 1 - step(x - 0.8)}]";
  const Result direct = run(scattered(terms, "direct")), states = run(scattered(terms, "exponentials"));
  EXPECT_GT(states["terms"], 10);
  const auto &a = direct.output.parts.front().values, &b = states.output.parts.front().values;
  for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n], b[n], 2e-9) << n;
}

// Sides of numbers are not touched again once they are at rest; initial values there differ.
TEST(Figures, SidesOfNumbersAreThoseOfFormulas) {
  const auto field = [](const std::string& half, const std::string& tenth, const std::string& split,
                        const std::string& precision) {
    DeckText deck;
    deck.more = "  solver: {split: " + split + "}\n  precision: " + precision + "\n";
    deck.grid = "{size: [1, 1, 1], cells: [9, 8, 20]}";
    deck.equation["initial"] = "x + y*z";
    deck.sides = "{x_min: {kind: dirichlet, value: " + half + "}, y_max: {kind: dirichlet, value: " + tenth +
                 "}, z_min: {kind: neumann, value: " + half + "}, rest: {kind: robin, transfer: 2, value: " + tenth +
                 "}}";
    deck.time = "{end: 1, steps: 9}";
    return run(deck).output.parts.front().values;
  };
  for (const std::string split : {"adi", "unsplit"})
    for (const std::string precision : {"fp64", "mixed"})
      EXPECT_EQ(field("0.5", "0.1", split, precision),
                field("0.5 + step(-1 - t)", "0.1 + step(-1 - t)", split, precision))
          << split << ", " << precision;
}

// A deck is checked at some nodes of a large grid, a run at all: here one is bad that the check leaves out.
TEST(Media, AreLookedForAtAllNodes) {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [4, 4, 200]}";
  deck.equation["order"] = "";
  deck.equation["terms"] =
      "[{order: 0.5, coefficient: 1 - 2*step(x - 0.9)*step(y - 0.9)*(step(z - 0.5025) - step(z - "
      "0.5075))}]";
  try {
    run(deck);
    FAIL();
  } catch (const DeckError& error) {
    EXPECT_NE(std::string(error.what()).find("terms: have a coefficient that is negative at x = 1, y = 1, z = 0.505"),
              std::string::npos)
        << error.what();
  }
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
