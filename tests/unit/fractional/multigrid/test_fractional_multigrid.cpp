// Multigrid of unsplit steps: a symmetric cycle, iterations that do not grow with the grid, solutions that are known.
#include <cmath>
#include <numbers>

#include "lib/base/hash.hpp"
#include "lib/problems/fractional/split/unsplit.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/fractional/fractional_runs.hpp"
#include "tests/unit/fractional/prepared_step.hpp"

namespace halocline::fractional {
namespace {

DeckText deck_of(const std::string& cells, const std::string& D = "1") {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: " + cells + "}";
  deck.equation = {{"order", "0.6"}, {"D", D}, {"initial", "if(max(abs(x - 0.5), abs(y - 0.3)) < 0.25, 1, 0)"}};
  deck.time = "{end: 1, steps: 3}";
  deck.more = "  solver: {split: unsplit}\n";
  return deck;
}

const std::string every_side =
    "{x_min: {kind: dirichlet, value: 0}, y_max: {kind: robin, transfer: 3, value: 1}, z_min: {kind: neumann, value: "
    "1}, rest: {kind: no_flux}}";
const std::string around = "{x_min: {kind: dirichlet, value: 0}, x_max: {kind: no_flux}, rest: {kind: periodic}}";

// The matrix of a step with nu = 1/local, and its multigrid.
struct Prepared : PreparedStep {
  Prepared(TestDevice device, const DeckText& deck, double local)
      : PreparedStep(device, deck, local), multigrid(f, slabs, coefficients, factors) {
    factors.set_linear(numbers);
    multigrid.refresh();
  }
  Vector<double> random(int stream) {
    Vector<double> made(system.space());
    system.randomize(stream, values_of(made));
    return made;
  }
  Vector<double> cycle(const Vector<double>& x) {
    Vector<double> y(system.space());
    multigrid.cycle().apply(x, y);
    return y;
  }
  Multigrid multigrid;
};

class MultigridCycle : public testing::TestWithParam<TestDevice> {};

// To the rounding of floats; with weights that are not those of a transpose it would be off by percents.
TEST_P(MultigridCycle, IsSymmetric) {
  for (const std::string& sides : {every_side, around})
    for (const char* D : {"1", "0.1 + x*y + z"}) {
      DeckText deck = deck_of("[12, 9, 15]", D);
      deck.sides = sides;
      Prepared step(GetParam(), deck, 1e-3);
      const Vector<double> x = step.random(0), y = step.random(1), Mx = step.cycle(x), My = step.cycle(y);
      const double size = std::sqrt(dots(x, Mx).xy * dots(y, My).xy);
      EXPECT_GT(dots(x, Mx).xy, 0);
      EXPECT_NEAR(dots(y, Mx).xy, dots(x, My).xy, 1e-5 * size) << D << sides;
    }
}

// Tables of the axes are what fields hold for D that is a formula.
TEST_P(MultigridCycle, IsTheSameByTablesAndByFields) {
  for (const std::string& sides : {every_side, around})
    for (const char* cells : {"[12, 9, 15]", "[8, 16, 7]"}) {
      DeckText deck = deck_of(cells);
      deck.sides = sides;
      Prepared by_tables(GetParam(), deck, 1e-2);
      deck.equation["D"] = "1 + 1e-12*x";
      Prepared by_fields(GetParam(), deck, 1e-2);
      ASSERT_NE(by_tables.coefficients.same_rows(), by_fields.coefficients.same_rows());
      const Vector<double> one = by_tables.cycle(by_tables.random(0)), other = by_fields.cycle(by_fields.random(0));
      const std::vector<double> found = one.to_host(0), expected = other.to_host(0);
      const double size = norm(one) / std::sqrt(static_cast<double>(by_tables.f.grid.unknowns()));
      for (std::size_t n = 0; n < found.size(); ++n) ASSERT_NEAR(found[n], expected[n], 1e-4 * size) << n;
    }
}

// A mode of the discrete operator: the solution is the right-hand side over its eigenvalue.
TEST_P(MultigridCycle, SolvesForModes) {
  DeckText deck = deck_of("[16, 11, 12]");
  deck.sides = "{x_min: {kind: dirichlet, value: 0}, x_max: {kind: dirichlet, value: 0}, rest: {kind: no_flux}}";
  Prepared step(GetParam(), deck, 1e-2);
  step.f.split.tol = 1e-12;
  SideValues sides(step.f, step.slabs, step.coefficients);
  sides.start(0);
  sides.next(0, 0.1);
  sides.prepare(0, step.factors.nu(0), 0);
  Log log(false, LogLevel::off);
  Unsplit unsplit(step.f, step.system, sides, log);
  const UniformGrid& g = step.f.grid;
  const double waves[3] = {1, 2, 3};
  double eigenvalue = 0;
  for (int a = 0; a < 3; ++a) {
    const double s = std::sin(0.5 * waves[a] * std::numbers::pi * g.spacing[a]) / g.spacing[a];
    eigenvalue += 4 * s * s;
  }
  std::vector<double> right;
  for (Index k = 0; k < g.extent[2]; ++k)
    for (Index j = 0; j < g.extent[1]; ++j)
      for (Index i = 0; i < g.extent[0]; ++i) {
        const double x = std::numbers::pi * g.coordinate(0, i), y = 2 * std::numbers::pi * g.coordinate(1, j),
                     z = 3 * std::numbers::pi * g.coordinate(2, k);
        right.push_back(std::sin(x) * std::cos(y) * std::cos(z));
      }
  SlabField<double> slot(step.slabs);
  slot.write(0, right);
  unsplit.take_right(slot);
  const Index iterations = unsplit.solve(step.numbers, slot);
  EXPECT_LE(iterations, 12);  // by the diagonal 19
  const std::vector<double> found = slot.read(0);
  const double factor = 1 / (1 + step.factors.nu_number() * eigenvalue);
  for (std::size_t n = 0; n < found.size(); ++n) ASSERT_NEAR(found[n], factor * right[n], 1e-11 * factor) << n;
}

INSTANTIATE_TEST_SUITE_P(Executors, MultigridCycle, every_executor(), executor_name);

// Iterations of a step, to 1e-8: about ten for all of these, whatever the grid.
TEST(MultigridRuns, TakeFewIterations) {
  const std::string inclusion = "if((x - 0.5)^2 + (y - 0.5)^2 + (z - 0.5)^2 < 0.09, 1, 0.001)";
  const std::string periodic = "{rest: {kind: periodic}}", closed = "{rest: {kind: no_flux}}";
  const std::string open = "{rest: {kind: robin, transfer: 3, value: 1}}",
                    given = "{rest: {kind: dirichlet, value: 0}}";
  struct Case {
    std::string D, along, sides;
    double most;
  };
  for (const Case& of : {Case{"1", "", given, 8}, Case{"1", "", closed, 10}, Case{"1", "", open, 10},
                         Case{"1", "", periodic, 10}, Case{"1", "{x: 1, y: 1, z: 0.001}", every_side, 9},
                         Case{"1 + x*y + sin(3*z)^2", "", every_side, 9}, Case{inclusion, "", given, 13}})
    for (const char* cells : {"[16, 16, 16]", "[31, 32, 33]"}) {
      DeckText deck = deck_of(cells, of.D);
      deck.equation["anisotropy"] = of.along;
      deck.sides = of.sides;
      const Result result = run(deck);
      EXPECT_LE(result["iterations"] / result["unsplit_steps"], of.most) << of.D << of.along << of.sides << cells;
    }
}

// A velocity that carries c far: what is not symmetric matters too much for cycles, and the diagonal does.
TEST(MultigridRuns, GiveWayToTheDiagonal) {
  DeckText deck = deck_of("[16, 16, 16]", "0.3");
  deck.equation["velocity"] = "{x: 100, y: 60, z: 30}";
  const Result result = run(deck);
  EXPECT_GT(result["iterations"] / result["unsplit_steps"], 20);
  EXPECT_LE(result["max"], 1.1);
}

}  // namespace
}  // namespace halocline::fractional
