// Orders of convergence of boxes whose solution is known.
#include "tests/unit/sparse/host_solvers.hpp"

namespace halocline::sparse {
namespace {

struct Errors {
  double largest = 0, rms = 0;
};

Errors errors_of(const std::string& text) {
  const BoxSource source = box_of(text);
  const HostMatrix matrix = whole(source);
  const std::vector<double> u = solve(matrix);
  BoxDeck options;
  const Deck deck(text, "deck.yaml");
  DeckReader reader(deck);
  options.describe(reader);
  const Expression exact = Scope(variables, options.names).parse(options.exact);
  const auto known =
      at_unknowns(make_omp_executor(1), source.model().layout, exact, {{0}, {source.rows()}}, 0).to_host();
  Errors e;
  for (std::size_t i = 0; i < u.size(); ++i) {
    e.largest = std::max(e.largest, std::abs(u[i] - known[i]));
    e.rms += (u[i] - known[i]) * (u[i] - known[i]) / static_cast<double>(u.size());
  }
  e.rms = std::sqrt(e.rms);
  return e;
}

std::string with(std::string text, const std::string& what, int n) {
  const std::string all = "[" + std::to_string(n) + ", " + std::to_string(n) + ", " + std::to_string(n) + "]";
  return text.replace(text.find(what), what.size(), all);
}

double order(const std::string& text, int coarse, int fine) {
  return std::log2(errors_of(with(text, "N", coarse)).largest / errors_of(with(text, "N", fine)).largest);
}

const std::string exact = "exact: sin(pi*x)*sin(2*pi*y)*sin(pi*z) + x*y\n";
const std::string cells = exact + R"(
box:
  grid: {size: [1, 1, 1], cells: N}
  k: 1 + x*y + z/2
  source: manufactured
  sides: {rest: {kind: dirichlet}}
)";

TEST(BoxOrders, Cells) {
  const Errors e = errors_of(with(cells, "N", 32));
  EXPECT_NEAR(e.largest, 2.489e-3, 0.5e-6);
  EXPECT_NEAR(e.rms, 8.645e-4, 0.5e-7);
  const double found = std::log2(errors_of(with(cells, "N", 16)).largest / e.largest);
  EXPECT_GT(found, 1.97);
  EXPECT_LT(found, 2.01);
}

TEST(BoxOrders, FluxesOnTwoSides) {
  std::string text = cells;
  text.replace(text.find("sides: {"), 8, "sides: {x_max: {kind: neumann}, z_min: {kind: neumann}, ");
  const double found = order(text, 12, 24);
  EXPECT_GT(found, 1.97);
  EXPECT_LT(found, 2.02);
}

TEST(BoxOrders, Points) {
  std::string text = cells;
  text.replace(text.find("cells:"), 6, "points:");
  const double found = order(text, 15, 31);
  EXPECT_GT(found, 1.96);
  EXPECT_LT(found, 2.03);
}

TEST(BoxOrders, Upwind) {
  std::string text = cells;
  text.replace(text.find("source"), 0,
               "velocity: [20*sin(pi*x)*cos(pi*y), -20*cos(pi*x)*sin(pi*y), 3]\n  reaction: 1 + x\n  ");
  const double found = order(text, 16, 32);
  EXPECT_GT(found, 0.75);
  EXPECT_LT(found, 1.1);
}

TEST(BoxOrders, TwoDimensionsAndAnisotropy) {
  const std::string text = R"(
exact: sin(2*x + y) + x*y
box:
  grid: {size: [1, 2], cells: N}
  k: exp(x - y)
  anisotropy: {x: 1, y: 0.25}
  source: manufactured
  sides: {y_max: {kind: neumann}, rest: {kind: dirichlet}}
)";
  std::string coarse = text, fine = text;
  coarse.replace(coarse.find("N}"), 1, "[16, 24]");
  fine.replace(fine.find("N}"), 1, "[32, 48]");
  EXPECT_NEAR(std::log2(errors_of(coarse).largest / errors_of(fine).largest), 2, 0.06);
}

}  // namespace
}  // namespace halocline::sparse
