// Walls: solutions that the discrete equations have exactly, order of the rest, layout hiperc against a program of its
// own, and faults of decks.
#include <cmath>
#include <numbers>

#include "tests/unit/diffusion/diffusion_cases.hpp"

namespace halocline::diffusion {
namespace {

// Linear profiles stay as they are, whatever mask reads the walls.
TEST(Walls, KeepLinearProfiles) {
  for (const std::string mask : {"5pt", "9pt", "cross4"}) {
    Case deck;
    deck.initial = "1 + 2*x - 3*y";
    deck.walls =
        "{x_min: [{kind: dirichlet, value: 1 - 3*y}], x_max: [{kind: neumann, value: 2}], y_min: [{kind: robin, "
        "transfer: 5, value: 1 + 2*x + 3/5}], y_max: [{kind: dirichlet, value: 1 + 2*x - 3}]}";
    deck.stencil = "{mask: " + mask + ", co: 0.5}";
    deck.time = "{end: 0.3}";
    deck.verify = "{exact: 1 + 2*x - 3*y}";
    EXPECT_LT(run(deck.text())["max_error.c"], 1e-13) << mask;
  }
}

// c = x^2 + 2 t: its slope at the walls is given, and second differences are exact.
TEST(Walls, GivenSlopesAreExactForParabolas) {
  Case deck;
  deck.initial = "x^2";
  deck.walls = "{x_max: [{kind: neumann, value: 2}], rest: {kind: no_flux}}";
  deck.time = "{end: 0.1}";
  deck.verify = "{exact: x^2 + 2*t}";
  EXPECT_LT(run(deck.text())["max_error.c"], 1e-13);
}

// Values that change with time: order 2 in space (time steps go with h^2).
TEST(Walls, GivenValuesThatMoveKeepTheOrder) {
  for (const std::string mask : {"5pt", "9pt"}) {
    double error[2];
    for (const int n : {16, 32}) {
      Case deck;
      deck.grid = "{layout: fv, size: [1, 1], cells: [" + std::to_string(n) + ", " + std::to_string(n) + "]}";
      deck.more = "  definitions: {u: \"exp(-2*t)*sin(x + 0.3)*cos(y) + x\"}\n";
      deck.initial = "sin(x + 0.3)*cos(y) + x";
      deck.walls = "{rest: {kind: dirichlet, value: u}}";
      deck.stencil = "{mask: " + mask + ", co: 0.4}";
      deck.time = "{end: 0.1}";
      deck.verify = "{exact: u}";
      error[n / 32] = run(deck.text())["max_error.c"];
    }
    EXPECT_LT(error[1], 1e-4);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3) << mask;
  }
}

// The benchmark as it is written: a ring of ghosts in memory, filled before every step.
std::vector<double> benchmark(int n, int r, int steps, double lambda, const std::vector<double>& mask) {
  std::vector<double> c(static_cast<std::size_t>(n * n), 0), next = c;
  const auto at = [n](std::vector<double>& v, int j, int i) -> double& {
    return v[static_cast<std::size_t>(j * n + i)];
  };
  const int m = 2 * r + 1;
  for (int step = 0; step < steps; ++step) {
    for (int j = 0; j < n / 2; ++j)
      for (int i = 0; i <= r; ++i) at(c, j, i) = 1;
    for (int j = n / 2; j < n; ++j)
      for (int i = n - 1 - r; i < n; ++i) at(c, j, i) = 1;
    for (int j = 0; j < n; ++j)
      for (int o = 0; o < r; ++o) {
        at(c, j, r - 1 - o) = at(c, j, r - o);
        at(c, j, n - r + o) = at(c, j, n - r - 1 + o);
      }
    for (int i = 0; i < n; ++i)
      for (int o = 0; o < r; ++o) {
        at(c, r - 1 - o, i) = at(c, r - o, i);
        at(c, n - r + o, i) = at(c, n - r - 1 + o, i);
      }
    for (int j = r; j < n - r; ++j)
      for (int i = r; i < n - r; ++i) {
        double sum = 0;
        for (int q = 0; q < m; ++q)
          for (int p = 0; p < m; ++p) sum += mask[static_cast<std::size_t>(q * m + p)] * at(c, j + q - r, i + p - r);
        at(next, j, i) = at(c, j, i) + lambda * sum;
      }
    std::swap(c, next);
  }
  std::vector<double> inner;
  for (int j = r; j < n - r; ++j)
    for (int i = r; i < n - r; ++i) inner.push_back(at(c, j, i));
  return inner;
}

TEST(Hiperc, IsTheBenchmark) {
  const double a = -1.0 / 12, b = 4.0 / 3;
  struct Form {
    const char* mask;
    int radius;
    std::vector<double> weights;
  };
  for (const Form& form :
       {Form{"5pt", 1, {0, 1, 0, 1, -4, 1, 0, 1, 0}},
        Form{"9pt", 1, {1. / 6, 4. / 6, 1. / 6, 4. / 6, -20. / 6, 4. / 6, 1. / 6, 4. / 6, 1. / 6}},
        Form{"cross4", 2, {0, 0, a, 0, 0, 0, 0, b, 0, 0, a, b, -5, b, a, 0, 0, b, 0, 0, 0, 0, a, 0, 0}}}) {
    Case deck;
    deck.grid = "{layout: hiperc, points: [33, 33], spacing: 1}";
    deck.D = "0.00625";
    deck.walls =
        "{x_min: [{from: 0, to: 16, kind: dirichlet, value: 1}], x_max: [{from: 16, to: 33, kind: dirichlet, "
        "value: 1}], rest: {kind: no_flux}}";
    deck.stencil = "{mask: " + std::string(form.mask) + ", co: 0.4}";
    deck.time = "{end: 300*16}";
    const Result result = run(deck.text());
    ASSERT_EQ(result["steps"], 300);
    const std::vector<double> expected = benchmark(33, form.radius, 300, 0.1, form.weights);
    ASSERT_EQ(result.values().size(), expected.size());
    for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_NEAR(result.values()[n], expected[n], 1e-13) << form.mask;
    EXPECT_EQ(result.output.last_info.centring, Centring::point);
    EXPECT_EQ(result.output.last_grid.nodes[0].front(), form.radius);
  }
}

std::string faults_of(const Case& deck, const Shape& shape = {}) {
  DiffusionOptions options;
  return read_deck(deck.text(), options, shape);
}

void expect_fault(const std::string& faults, const std::string& part) {
  EXPECT_NE(faults.find(part), std::string::npos) << "wanted: " << part << "\nin: " << faults;
}

std::string wall_faults(const std::string& walls, const std::string& grid = Case{}.grid) {
  Case deck;
  deck.walls = walls;
  deck.grid = grid;
  return faults_of(deck);
}

TEST(Decks, NameFaultsOfWalls) {
  const std::string solid = "{layout: fv, size: [1, 1, 1], cells: [8, 8, 8]}";
  const std::string points = "{layout: hiperc, points: [16, 16], spacing: 1}";
  expect_fault(
      wall_faults("{x_min: [{from: 0, to: 0.6, kind: no_flux}, {from: 0.5, to: 1, kind: no_flux}], rest: {kind: "
                  "no_flux}}"),
      "deck.yaml:5:54: diffusion.walls.x_min[1]: overlaps piece 0 of this side");
  expect_fault(wall_faults("{x_min: [{from: 0, to: 1.5, kind: no_flux}], rest: {kind: no_flux}}"),
               "diffusion.walls.x_min[0].to: lies outside the side: 1.5; y runs from 0 to 1");
  expect_fault(wall_faults("{x_min: [{from: 0.5, to: 0.5, kind: no_flux}], rest: {kind: no_flux}}"),
               "must be greater than `from`");
  expect_fault(wall_faults("{x_min: [{kind: periodic}], rest: {kind: no_flux}}"),
               "diffusion.walls.x_max: must be periodic as x_min is");
  expect_fault(wall_faults("{x_min: [{to: 0.5, kind: periodic}], x_max: {kind: periodic}, rest: {kind: no_flux}}"),
               "diffusion.walls.x_min: is periodic in part");
  expect_fault(wall_faults("{x_min: [{from: 0, to: 0.5, kind: no_flux}]}"),
               "diffusion.walls: neither `rest` nor pieces say what holds on all of x_min");
  expect_fault(wall_faults("{rest: {kind: dirichlet}}"), "diffusion.walls.rest: lacks `value`");
  expect_fault(wall_faults("{rest: {kind: no_flux, value: 1}}"), "has no meaning for this kind of wall");
  expect_fault(wall_faults("{rest: {kind: robin, value: 1}}"), "lacks `transfer`");
  expect_fault(wall_faults("{rest: {kind: dirichlet, value: 1, transfer: 1}}"), "belongs to kind robin");
  expect_fault(wall_faults("{rest: {kind: dirichlet, value: log(y - 0.5)}}"), "a value is not finite at t = 0");
  expect_fault(wall_faults("{z_min: {kind: no_flux}, rest: {kind: no_flux}}"), "is no side of a grid in 2D");
  expect_fault(wall_faults("{x_min: [{from: 0.5, kind: no_flux}], rest: {kind: no_flux}}", solid),
               "must name its axes in 3D");
  expect_fault(wall_faults("{x_min: [{from: {x: 0.5}, kind: no_flux}], rest: {kind: no_flux}}", solid),
               "has a bound in x, which does not run along this side");
  expect_fault(wall_faults("{x_min: {kind: neumann, value: 1}, rest: {kind: no_flux}}", points),
               "diffusion.walls.x_min[0].kind: layout hiperc has walls of kind dirichlet and no_flux only");
}

TEST(Decks, NameFaultsOfGridAndEquation) {
  Case deck;
  deck.D = "-1";
  expect_fault(faults_of(deck), "diffusion.equation.D: must be positive and finite, is -1");
  deck = {};
  deck.grid = "{layout: fv, size: [1, 1], cells: [2, 16]}";
  expect_fault(faults_of(deck), "diffusion.grid.cells: too few along x for the mask");
  deck.grid = "{layout: fv, size: [1], cells: [16, 16]}";
  expect_fault(faults_of(deck), "diffusion.grid.size: has 1 numbers, cells 2");
  deck.grid = "{layout: fv, points: [16, 16], spacing: 1}";
  expect_fault(faults_of(deck), "lacks `cells`");
  deck.grid = "{layout: hiperc, points: [16, 16]}";
  expect_fault(faults_of(deck), "lacks `spacing`");
  deck = {};
  expect_fault(faults_of(deck, Shape{20, std::vector<double>(20, 1.0)}), "diffusion.grid.cells:");
  deck.time = "{end: 0.01, steps_per_sweep: 5}";
  expect_fault(
      faults_of(deck, Shape{4, std::vector<double>(4, 1.0)}),
      "deck.yaml:7:38: diffusion.time.steps_per_sweep: cannot cut 16 columns times 16 rows into 4 parts of at least 5");
  deck.time = "{end: 0.01, steps_per_sweep: many}";
  expect_fault(faults_of(deck), "'many' is neither auto nor a number from 1 to 1024");
  deck = {};
  deck.verify = "{max_error: 1}";
  expect_fault(faults_of(deck), "verify.max_error: needs verify.exact or verify.reference");
  deck.verify = "{wrss: [0, 1]}";
  expect_fault(faults_of(deck), "verify.wrss: is defined for layout hiperc in 2D");
}

TEST(Decks, InitialDataMustBeFinite) {
  Case deck;
  deck.initial = "log(x - 0.5)";
  try {
    run(deck.text());
    FAIL();
  } catch (const DeckError& error) {
    EXPECT_NE(std::string(error.what()).find("deck.yaml:4:"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("diffusion.equation.initial: is not finite"), std::string::npos);
  }
}

// A wall value that stops being a number.
TEST(Decks, NumbersThatAreNoneStopTheRun) {
  Case deck;
  deck.walls = "{x_min: {kind: dirichlet, value: sqrt(0.005 - t)}, rest: {kind: no_flux}}";
  deck.time = "{end: 0.1}";
  try {
    run(deck.text());
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("c is not finite after step"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("first at x = 0.03125, y = 0.03125"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace halocline::diffusion
