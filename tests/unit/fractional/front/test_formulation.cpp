// Formulation: what decks are turned into, and what is told beside it.
#include "lib/problems/fractional/formulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lib/problems/fractional/data_scale.hpp"
#include "lib/problems/fractional/node_sample.hpp"
#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {
namespace {

Formulation made_of(const DeckText& deck) { return formulate(read_deck(deck.text())); }

double value_of(const Program& program, const std::array<double, 5>& at) {
  std::vector<std::span<const double>> inputs;
  for (const double& one : at) inputs.emplace_back(&one, 1);
  double value = 0;
  const std::span<double> results[1] = {{&value, 1}};
  evaluate(program, inputs, results);
  return value;
}

bool has_note(const Formulation& f, const std::string& text) {
  for (const std::string& note : f.notes)
    if (note.find(text) != std::string::npos) return true;
  return false;
}

TEST(Formulation, KeepsNumbersApartFromFormulas) {
  DeckText deck;
  deck.equation = {{"order", "0.6"},        {"D", "2*3"},        {"sigma", "1 + x"},        {"velocity", "{y: 0.5}"},
                   {"initial", "x + 10*y"}, {"source", "t*c^2"}, {"anisotropy", "{z: 0.1}"}};
  const Formulation f = made_of(deck);
  EXPECT_EQ(f.diffusivity.number, 6);
  EXPECT_TRUE(f.diffusivity.constant());
  EXPECT_FALSE(f.sigma.constant());
  EXPECT_EQ(value_of(*f.sigma.formula, {0.25, 0, 0, 0, 0}), 1.25);
  EXPECT_TRUE(f.moving());
  EXPECT_EQ(f.velocity[1].number, 0.5);
  EXPECT_EQ(value_of(f.initial, {1, 2, 0, 0, 0}), 21);
  EXPECT_TRUE(f.nonlinear());
  EXPECT_EQ(value_of(*f.source_slope.formula, {0, 0, 0, 2, 3}), 12);  // 2 t c
  EXPECT_EQ(f.along[2], 0.1);
  EXPECT_EQ(f.along[0], 1);
  EXPECT_EQ(f.orders, std::vector{0.6});
}

TEST(Formulation, SidesNamedGoBeforeTheRest) {
  DeckText deck;
  deck.sides =
      "{x_min: {kind: robin, transfer: 3, value: y}, z_min: {kind: periodic}, z_max: {kind: periodic}, "
      "rest: {kind: neumann, value: 2}}";
  const Formulation f = made_of(deck);
  EXPECT_EQ(f.sides[0].kind, SideKind::robin);
  EXPECT_EQ(f.sides[0].transfer, 3);
  EXPECT_EQ(f.sides[1].kind, SideKind::neumann);
  EXPECT_EQ(f.sides[3].value.number, 2);
  EXPECT_TRUE(f.grid.periodic[2]);
  EXPECT_EQ(f.grid.extent[0], 7);
  EXPECT_EQ(f.grid.extent[1], 6);
  EXPECT_EQ(f.grid.extent[2], 4);  // the fifth is the first
  EXPECT_FALSE(f.dirichlet(0));
}

TEST(Formulation, ClosedBoxes) {
  DeckText deck;
  EXPECT_FALSE(made_of(deck).closed());
  deck.sides = "{x_min: {kind: periodic}, x_max: {kind: periodic}, rest: {kind: no_flux}}";
  EXPECT_TRUE(made_of(deck).closed());
  deck.equation["velocity"] = "{x: 1}";  // around
  EXPECT_TRUE(made_of(deck).closed());
  deck.equation["velocity"] = "{y: 1}";  // through a side
  EXPECT_FALSE(made_of(deck).closed());
}

TEST(Formulation, LevelsFollowMeshAndOrder) {
  DeckText deck;
  deck.equation["psi"] = "t^2";
  deck.time = "{end: 2, steps: 10, mesh: uniform_psi}";
  EXPECT_NEAR(made_of(deck).levels->t(5), std::sqrt(2.0), 1e-14);
  deck.equation.erase("psi");
  deck.equation["order"] = "0.5";
  deck.time = "{end: 1, steps: 10, mesh: graded}";  // by default 2/order
  EXPECT_NEAR(made_of(deck).levels->s(5), std::pow(0.5, 4), 1e-15);
  deck.time = "{end: 1, steps: 10, mesh: graded, scheme: l1}";  // (2 - order)/order
  EXPECT_NEAR(made_of(deck).levels->s(5), std::pow(0.5, 3), 1e-15);
  deck.time = "{end: 1, steps: 10, mesh: graded, grading: 2}";
  EXPECT_NEAR(made_of(deck).levels->s(5), std::pow(0.5, 2), 1e-15);
  deck.equation["order"] = "0.5 + t/4";  // the smallest one decides
  deck.time = "{end: 1, steps: 10, mesh: graded}";
  EXPECT_NEAR(made_of(deck).levels->s(5), std::pow(0.5, 4), 1e-15);
  EXPECT_EQ(made_of(deck).order_of_time(1), 0.75);
}

TEST(Formulation, GammaOfPowersOfTime) {
  for (const std::string psi : {"0.8", "0.5", "2", "2/3", "1"}) {
    DeckText deck;
    deck.equation["psi"] = "t^(" + psi + ")";
    deck.time = "{end: 1, steps: 8, scheme: l1_t}";
    const double gamma = made_of(deck).gamma;
    if (psi == "2/3")
      EXPECT_DOUBLE_EQ(gamma, 2.0 / 3);
    else
      EXPECT_EQ(gamma, std::stod(psi)) << psi;
  }
}

TEST(Formulation, EngineByStepsUnlessGiven) {
  DeckText deck;
  deck.time = "{end: 1, steps: 48}";
  EXPECT_EQ(made_of(deck).history.engine, Engine::direct);
  deck.time = "{end: 1, steps: 49}";
  EXPECT_EQ(made_of(deck).history.engine, Engine::exponentials);
  deck.more = "  history: {engine: direct, eps: 1e-6, block: 7}\n";
  EXPECT_EQ(made_of(deck).history.engine, Engine::direct);
  EXPECT_EQ(made_of(deck).history.eps, 1e-6);
  EXPECT_EQ(made_of(deck).history.block, 7);
  deck.more = "";
  deck.time = "{end: 1, steps: 49, scheme: l1_t}";
  EXPECT_EQ(made_of(deck).history.engine, Engine::direct);
}

// E_{1/2}(-x) = exp(x^2) erfc(x).
TEST(Formulation, ReferenceIsInitialStateTimesAFunctionOfTime) {
  DeckText deck;
  deck.equation["order"] = "0.5";
  deck.equation["psi"] = "t^2";
  deck.equation["initial"] = "x*y";
  deck.verify = "{reference: mittag_leffler, rate: 3, max_error: 1}";
  const Formulation f = made_of(deck);
  const double x = 3 * 0.5;  // rate sqrt(psi(1/2))
  EXPECT_NEAR(f.exact_factor(0.5), std::exp(x * x) * std::erfc(x), 1e-14);
  EXPECT_EQ(f.exact_factor(0), 1);
  EXPECT_EQ(value_of(*f.exact, {2, 5, 0, 0.25, 0}), 2.5);
}

TEST(Formulation, TellsWhatMayBeLessAccurate) {
  DeckText deck;
  EXPECT_TRUE(made_of(deck).notes.empty());
  deck.equation["initial"] = "1";
  EXPECT_TRUE(has_note(made_of(deck), "initial state and value of x_min differ at t = 0, by 1 at "));
  deck = {};
  deck.equation["velocity"] = "{x: 20}";
  EXPECT_TRUE(has_note(made_of(deck), "Peclet number abs(v) h/D reaches 3.33333"));
  deck.more = "  solver: {advection: upwind}\n";
  EXPECT_TRUE(made_of(deck).notes.empty());
  deck = {};
  deck.equation["order"] = "0.04";
  EXPECT_TRUE(has_note(made_of(deck), "order 0.04 is so small"));
  deck = {};
  deck.time = "{end: 1, steps: 8, mesh: graded, grading: 9}";
  EXPECT_TRUE(has_note(made_of(deck), "grading 9 is steep"));
}

TEST(Formulation, RefinedCellsAndSteps) {
  FractionalOptions options = read_deck(DeckText{}.text());
  options.refine(2);
  const Formulation f = formulate(options);
  EXPECT_EQ(f.grid.extent[0], 13);
  EXPECT_EQ(f.levels->steps(), 16);
}

TEST(NodeSample, HasAllNodesOfTheAxesThatMatter) {
  DeckText deck;
  deck.equation["D"] = "1 + y";
  const Formulation f = made_of(deck);
  std::vector<double> seen;
  NodeSample(f.grid, {&f.diffusivity}).each([&](const Node&, std::span<const double> values) {
    seen.push_back(values[0]);
    return true;
  });
  ASSERT_EQ(seen.size(), 6U);
  EXPECT_EQ(seen.back(), 2);
}

TEST(NodeSample, HasBothEndsOfLongAxes) {
  UniformGrid grid;
  grid.layout = GridLayout::nodes;
  grid.dimensions = 3;
  for (int axis = 0; axis < 3; ++axis) grid.extent[axis] = 301, grid.spacing[axis] = 1.0 / 300;
  const Formulation f = made_of([] {
    DeckText deck;
    deck.equation["D"] = "1 + x + y + z";
    return deck;
  }());
  double low = 10, high = 0;
  Index count = 0;
  NodeSample(grid, {&f.diffusivity}).each([&](const Node&, std::span<const double> values) {
    low = std::min(low, values[0]), high = std::max(high, values[0]), ++count;
    return true;
  });
  EXPECT_EQ(low, 1);
  EXPECT_EQ(high, 4);
  EXPECT_LE(count, 128 * 128 * 128);
}

TEST(DataScale, FollowsEveryKindOfData) {
  DeckText deck;
  EXPECT_EQ(scale_of_data(made_of(deck)), 0);
  deck.equation["initial"] = "-3*x";
  EXPECT_EQ(scale_of_data(made_of(deck)), 3);
  deck.sides = "{rest: {kind: dirichlet, value: 5*t}}";
  EXPECT_EQ(scale_of_data(made_of(deck)), 5);
  deck.equation["sigma"] = "0.5";
  deck.equation["source"] = "8";
  EXPECT_NEAR(scale_of_data(made_of(deck)), 16 / std::tgamma(1.6), 1e-12);
}

}  // namespace
}  // namespace halocline::fractional
