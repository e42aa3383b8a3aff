// Formulas evaluated on executors, by rows and by single points, against the evaluation of the same programs on the
// host. By points a host device gives the bits of the plain program; a GPU's functions round differently.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "lib/fields/formula_grid.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/expression/formulas.hpp"
#include "tests/unit/expression/random_formula.hpp"

namespace halocline {
namespace {

constexpr const char* xy[] = {"x", "y"};
constexpr double infinity = std::numeric_limits<double>::infinity(), untouched = -99;

std::uint64_t bits(double value) { return std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value); }

std::vector<double> some_points(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  std::vector<double> points;
  for (int i = 0; i < count; ++i) points.push_back(uniform(random));
  return points;
}

Program program_of(const std::vector<std::string>& texts) {
  const Scope scope(xy);
  std::vector<Expression> expressions;
  for (const std::string& text : texts) expressions.push_back(scope.parse(test::formula(text)));
  return Program(expressions, 2);
}

// [x][result][y] by GridProgram.
std::vector<double> by_grid_program(const Program& program, const std::vector<double>& x, const std::vector<double>& y,
                                    GridProgram::Functions functions) {
  const GridProgram grid(program, x, y, functions);
  std::vector<double> values(x.size() * y.size() * static_cast<std::size_t>(grid.result_count()));
  GridProgram::Scratch scratch;
  double* to = values.data();
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double*> results;
    for (int r = 0; r < grid.result_count(); ++r, to += y.size()) results.push_back(to);
    grid.evaluate(static_cast<Index>(i), 0, static_cast<Index>(y.size()), results.data(), scratch);
  }
  return values;
}

class FormulaPoints : public OnEveryExecutor {
 protected:
  bool on_gpu() const { return executor()->backend() == Backend::cuda; }

  // [x][result][y] on the executor.
  template <class T = double>
  std::vector<T> on_executor(const Program& program, const std::vector<double>& x, const std::vector<double>& y,
                             FormulaPath path, GridProgram::Functions functions = GridProgram::Functions::fast) const {
    const auto n = static_cast<Index>(x.size()), points = static_cast<Index>(y.size());
    const Index results = program.result_count();
    Array<T, 1> values(executor(), {n * results * points});
    FormulaGrid(executor(), program, x, y, path, functions)
        .evaluate<T>({0, n, 1, 0, points}, {values.view().data, results * points, points});
    return values.to_host();
  }

  // Equal bits on the host; on a GPU equal up to a few units in the last place of numbers of the formula's size.
  void expect_equal(const std::vector<double>& found, const std::vector<double>& expected) const {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
      if (on_gpu() && std::isfinite(expected[n])) {
        ASSERT_NEAR(found[n], expected[n], 1e-14 * (1 + std::abs(expected[n]))) << n;
      } else {
        ASSERT_EQ(bits(found[n]), bits(expected[n])) << n;
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Executors, FormulaPoints, every_executor(), executor_name);

const std::vector<std::string> formulas{
    "2 + sin(x + y)*cos(x*y) + exp(x*y/2)", "0.4*cos(x - y)/cosh(x - 2*y)", "log(5 + x*y)*(3 + x)^(1.7 + y/9)",
    "if(x < y, tanh(x*y), sqrt(5 + x*y))",  "sin(x)*exp(-y) + 3",           "7"};

TEST_P(FormulaPoints, RowsHaveTheBitsOfGridProgram) {
  const Program program = program_of(formulas);
  const std::vector<double> x = some_points(9, 3), y = some_points(700, 4);
  for (const auto functions : {GridProgram::Functions::fast, GridProgram::Functions::exact})
    expect_equal(on_executor(program, x, y, FormulaPath::of_executor, functions),
                 by_grid_program(program, x, y, functions));
}

TEST_P(FormulaPoints, SinglePointsHaveTheBitsOfThePlainProgram) {
  const Program program = program_of(formulas);
  const std::vector<double> x = some_points(9, 3), y = some_points(700, 4);
  expect_equal(on_executor(program, x, y, FormulaPath::points),
               by_grid_program(program, x, y, GridProgram::Functions::exact));
}

// Every operation, and values that are infinite or no number. Random formulas amplify rounding, which a GPU's functions
// do in another way.
TEST_P(FormulaPoints, RandomFormulas) {
  if (on_gpu()) GTEST_SKIP() << "a GPU rounds differently";
  std::mt19937 random(31);
  std::vector<double> x = some_points(5, 1), y = some_points(60, 2);
  x.insert(x.end(), {0, 1e200, -infinity});
  y.insert(y.end(), {0, -1e200, infinity, x[0], -x[1]});
  for (int trial = 0; trial < 200; ++trial) {
    const Scope scope(xy);
    std::vector<Expression> expressions;
    for (int e = 0; e < 1 + trial % 6; ++e)
      expressions.push_back(test::random_expression(scope, random, 1 + trial % 7, 2));
    const Program program(expressions, 2);
    expect_equal(on_executor(program, x, y, FormulaPath::points),
                 by_grid_program(program, x, y, GridProgram::Functions::exact));
  }
}

TEST_P(FormulaPoints, NotFiniteAtTheSamePoints) {
  const Program program = program_of({"log(x - y)", "1/(x - y)", "sqrt(x - y)", "exp(900*(x - y))", "asin(x + y)",
                                      "(x - y)^0.7", "(x - y)/(x - y)", "sin(1/(x - y))"});
  const std::vector<double> x = some_points(6, 5);
  std::vector<double> y = some_points(100, 6);
  for (int k = 0; k < 6; ++k) y[10 * k + 7] = x[k];
  const auto expected = by_grid_program(program, x, y, GridProgram::Functions::exact);
  const auto found = on_executor(program, x, y, FormulaPath::points);
  for (std::size_t n = 0; n < found.size(); ++n) {
    ASSERT_EQ(std::isnan(found[n]), std::isnan(expected[n])) << n;
    ASSERT_EQ(std::isfinite(found[n]), std::isfinite(expected[n])) << n;
  }
}

// Every second x, a part of the y, in memory with gaps.
TEST_P(FormulaPoints, PartsGoWhereTheyAreWanted) {
  const Program program = program_of({"x*y + y", "x - 2*y"});
  const std::vector<double> x = some_points(7, 1), y = some_points(40, 2);
  const FormulaGrid::Points points{1, 3, 2, 5, 38};
  constexpr Index line = 120, result = 50, start = 11;
  for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points}) {
    const FormulaGrid grid(executor(), program, x, y, path);
    Array<double, 1> values = make_array(executor(), std::vector<double>(400, untouched));
    Array<float, 1> small = make_array(executor(), std::vector<float>(400, untouched));
    grid.evaluate<double>(points, {values.view().data + start, line, result});
    grid.evaluate<float>(points, {small.view().data + start, line, result});
    std::vector<double> expected(400, untouched);
    for (Index n = 0; n < points.count; ++n)
      for (Index j = points.low; j < points.high; ++j) {
        const double at_x = x[points.first + n * points.step], at_y = y[j];
        double* to = expected.data() + start + n * line + j - points.low;
        to[0] = at_x * at_y + at_y;
        to[result] = at_x - 2 * at_y;
      }
    const auto found = values.to_host();
    const auto found_small = small.to_host();
    for (std::size_t n = 0; n < expected.size(); ++n) {
      ASSERT_NEAR(found[n], expected[n], 1e-15) << n;
      ASSERT_EQ(found_small[n], static_cast<float>(found[n])) << n;
    }
  }
}

// More registers than a thread has, and more points than are done at a time.
TEST_P(FormulaPoints, LongFormulas) {
  std::vector<std::string> texts;
  for (int k = 0; k < 40; ++k) texts.push_back("x*y + " + std::to_string(k) + "*(y - x*x*y)");
  const Program program = program_of(texts);
  ASSERT_GT(program.register_count(), 32);
  const std::vector<double> x = some_points(3, 1), y = some_points(100000, 2);
  expect_equal(on_executor(program, x, y, FormulaPath::points),
               by_grid_program(program, x, y, GridProgram::Functions::exact));
}

// Terms beyond those that are kept as tables are computed at the points.
TEST_P(FormulaPoints, VeryLongFormulas) {
  std::string sum = "1";
  for (int k = 1; k <= 400; ++k) sum += " + sin(" + std::to_string(k) + "*x)*cos(" + std::to_string(k) + "*y)";
  const Program program = program_of({sum});
  const std::vector<double> x = some_points(3, 1), y = some_points(90, 2);
  const auto expected = by_grid_program(program, x, y, GridProgram::Functions::exact);
  const auto found = on_executor(program, x, y, FormulaPath::points);
  for (std::size_t n = 0; n < found.size(); ++n) ASSERT_NEAR(found[n], expected[n], on_gpu() ? 1e-11 : 0) << n;
}

TEST_P(FormulaPoints, NoPoints) {
  const Program program = program_of({"x*y"});
  for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points})
    EXPECT_TRUE(on_executor(program, {}, {}, path).empty());
}

// Fields of (x, y, z), a number for all points, and a variable that is not used.
TEST_P(FormulaPoints, PlanesOfLines) {
  constexpr const char* names[] = {"x", "y", "z", "t", "c", "none"};
  constexpr Index nx = 5, ny = 4, nz = 3;
  const Scope scope(names);
  const Expression formula = scope.parse(test::formula("x + 10*y + 100*z*t - c*c"));
  const Program program({&formula, 1}, 6);
  const auto x = make_array(executor(), some_points(nx, 1)), y = make_array(executor(), some_points(ny, 2));
  const auto z = make_array(executor(), some_points(nz, 3)), c = make_array(executor(), some_points(nx * ny * nz, 4));
  const PointInput inputs[] = {{x.view().data, 1, 0, 0},
                               {y.view().data, 0, 1, 0},
                               {z.view().data, 0, 0, 1},
                               {nullptr, 0, 0, 0, PointInput::Source::number},
                               {nullptr, 1, nx, nx * ny, PointInput::Source::field},
                               {}};
  Array<double, 1> values(executor(), {nx * ny * nz});
  PointProgram(executor(), program, inputs)
      .evaluate<double>({nz, ny, nx}, {values.view().data, 0, nx, nx * ny}, {0.5, c.view().data});
  const auto found = values.to_host(), xs = x.to_host(), ys = y.to_host(), zs = z.to_host(), cs = c.to_host();
  for (Index k = 0; k < nz; ++k)
    for (Index j = 0; j < ny; ++j)
      for (Index i = 0; i < nx; ++i) {
        const double point[] = {xs[i], ys[j], zs[k], 0.5, cs[(k * ny + j) * nx + i], 0};
        ASSERT_NEAR(found[(k * ny + j) * nx + i], evaluate(formula, point), on_gpu() ? 1e-13 : 0);
      }
}

// A name of a deck's data, which devices with a thread per point have sampled on the host.
TEST_P(FormulaPoints, LookedUpValues) {
  std::vector<double> values;
  for (int n = 0; n < 7 * 5; ++n) values.push_back(std::sin(n * n));
  Definitions names;
  for (const Interpolation how : {Interpolation::linear, Interpolation::conservative, Interpolation::nearest}) {
    const RasterView view{.extent = {7, 5, 1},
                          .origin = {-2, -2, 0},
                          .spacing = {0.7, 1.1, 1},
                          .reach = {0.4, 0.4, 0},
                          .interpolation = how};
    names.data.push_back({"f" + std::to_string(names.data.size()), make_raster(values, view)});
  }
  const Scope scope(xy, names);
  const Expression f0 = scope.parse(test::formula("f0"));
  const Expression results[4] = {scope.parse(test::formula("sin(x)*f0 + y*f1 - f2^2")),
                                 scope.parse(test::formula("f1")), derivative(f0, 0), derivative(f0 * f0, 1)};
  const Program program(results, 2);
  const std::vector<double> x = some_points(9, 1), y = some_points(600, 2);
  const std::vector<double> expected = by_grid_program(program, x, y, GridProgram::Functions::exact);
  expect_equal(on_executor(program, x, y, FormulaPath::points), expected);
  expect_equal(on_executor(program, x, y, FormulaPath::of_executor, GridProgram::Functions::exact), expected);
}

}  // namespace
}  // namespace halocline
