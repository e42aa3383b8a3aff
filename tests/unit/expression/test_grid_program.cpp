// Programs on tensor grids against the plain evaluation of the same programs, point by point.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/expression/grid_program.hpp"
#include "tests/unit/expression/expression_text.hpp"
#include "tests/unit/expression/formulas.hpp"
#include "tests/unit/expression/random_formula.hpp"

namespace halocline {
namespace {

constexpr const char* xy[] = {"x", "y"};
constexpr auto exact = GridProgram::Functions::exact;
constexpr double infinity = std::numeric_limits<double>::infinity();

using Table = std::vector<std::vector<std::vector<double>>>;  // [result][x][y]

std::uint64_t bits(double value) { return std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value); }

std::vector<double> some_points(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  std::vector<double> points;
  for (int i = 0; i < count; ++i) points.push_back(uniform(random));
  return points;
}

Program program_of(std::initializer_list<const char*> texts) {
  const Scope scope(xy);
  std::vector<Expression> expressions;
  for (const char* text : texts) expressions.push_back(scope.parse(test::formula(text)));
  return Program(expressions, 2);
}

// Column by column without any preparation.
Table plain(const Program& program, const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<std::size_t>(program.result_count());
  Table table(count, std::vector(x.size(), std::vector<double>(y.size())));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::span<const double> inputs[] = {std::span(x).subspan(i, 1), y};
    std::vector<std::span<double>> results;
    for (std::size_t r = 0; r < count; ++r) results.emplace_back(table[r][i]);
    evaluate(program, inputs, results);
  }
  return table;
}

Table on_grid(const GridProgram& program, std::size_t x_count, std::size_t y_count) {
  const auto count = static_cast<std::size_t>(program.result_count());
  Table table(count, std::vector(x_count, std::vector<double>(y_count, -99)));
  GridProgram::Scratch scratch;
  for (std::size_t i = 0; i < x_count; ++i) {
    std::vector<double*> results;
    for (std::size_t r = 0; r < count; ++r) results.push_back(table[r][i].data());
    program.evaluate(static_cast<Index>(i), 0, static_cast<Index>(y_count), results.data(), scratch);
  }
  return table;
}

// The number of values whose bits differ.
int differences(const Table& a, const Table& b) {
  int count = 0;
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t i = 0; i < a[r].size(); ++i)
      for (std::size_t j = 0; j < a[r][i].size(); ++j) count += bits(a[r][i][j]) != bits(b[r][i][j]);
  return count;
}

TEST(GridProgram, EqualsThePlainProgramBitByBit) {
  std::mt19937 random(31);
  std::vector<double> x = some_points(7, 1), y = some_points(530, 2);
  x.insert(x.end(), {0, 1e200, -infinity});  // many values become infinite or no number
  y.insert(y.begin() + 300, {0, -1e200, infinity, x[0], -x[1]});
  int not_finite = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Scope scope(xy);
    std::vector<Expression> expressions;
    for (int e = 0; e < 1 + trial % 6; ++e)
      expressions.push_back(test::random_expression(scope, random, 1 + trial % 7, 2));
    const Program program(expressions, 2);
    const Table expected = plain(program, x, y);
    ASSERT_EQ(differences(on_grid(GridProgram(program, x, y, exact), x.size(), y.size()), expected), 0)
        << to_string(expressions[0]);
    for (const auto& result : expected)
      for (const auto& column : result)
        for (const double value : column) not_finite += !std::isfinite(value);
  }
  EXPECT_GT(not_finite, 10000);
}

TEST(GridProgram, FastFunctionsAgreeToRounding) {
  const Program program = program_of({"2 + sin(x + y)*cos(x*y) + exp(x*y/2)", "0.4*cos(x - y)/cosh(x - 2*y)",
                                      "log(5 + x*y)*(3 + x)^(1.7 + y/9)", "atan2(x, 3 + y)*hypot(x, y + 1)",
                                      "tanh(x*y) + cbrt(7 + x + y) - sqrt(5 + x*y)", "sin(x)*exp(-y)"});
  const std::vector<double> x = some_points(9, 3), y = some_points(700, 4);
  const Table expected = plain(program, x, y), found = on_grid(GridProgram(program, x, y), x.size(), y.size());
  for (std::size_t r = 0; r < expected.size(); ++r)
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < y.size(); ++j) {
        const double tolerance = r == 5 ? 0 : 4e-15 * (1 + std::abs(expected[r][i][j]));
        ASSERT_NEAR(found[r][i][j], expected[r][i][j], tolerance) << r;
      }
}

TEST(GridProgram, ValuesThatAreNotFiniteAreFoundAtTheSamePoints) {
  const Program program =
      program_of({"log(x - y)", "1/(x - y)", "sqrt(x - y)", "exp(900*(x - y))", "asin(x + y)", "acos(x*y)",
                  "(x - y)^0.7", "(x - y)/(x - y)", "cosh(700*(x + y))", "sin(1/(x - y))", "if(x < y, log(x - y), x)",
                  "log10(x*y)", "log(sin(x*y)^2 + cos(x*y)^2 - 5)"});
  std::vector<double> x = some_points(8, 5), y = some_points(300, 6);
  for (int k = 0; k < 8; ++k) y[30 * k + 7] = x[k];
  const Table expected = plain(program, x, y), found = on_grid(GridProgram(program, x, y), x.size(), y.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    int bad = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < y.size(); ++j) {
        ASSERT_EQ(std::isnan(found[r][i][j]), std::isnan(expected[r][i][j])) << r << " " << x[i] << " " << y[j];
        ASSERT_EQ(std::isfinite(found[r][i][j]), std::isfinite(expected[r][i][j])) << r << " " << x[i] << " " << y[j];
        bad += !std::isfinite(found[r][i][j]);
      }
    EXPECT_GT(bad, 0) << r;
    EXPECT_LE(bad, 8 * 300);
  }
}

TEST(GridProgram, OnlyWhatDependsOnBothIsComputedAtEveryPoint) {
  const std::vector<double> x = some_points(3, 1), y = some_points(5, 2);
  // The product of a function of x and one of y.
  const GridProgram product(program_of({"(1 + sin(pi*x))*exp(-cos(pi*y))"}), x, y);
  EXPECT_EQ(product.points().instructions().size(), 1u);
  EXPECT_EQ(product.values_per_x(), 1);
  EXPECT_EQ(product.values_per_y(), 1);
  // Results that depend on one coordinate or none need nothing at the points.
  const GridProgram single(program_of({"x^2 - sin(x)", "5*cos(y)", "7", "x", "y"}), x, y);
  EXPECT_EQ(single.points().instructions().size(), 0u);
  EXPECT_EQ(single.values_per_x(), 2);
  EXPECT_EQ(single.values_per_y(), 2);
  // A value is kept once however often it is used, and sin(y) is part of exp(sin(y)) but used by itself, too.
  const GridProgram shared(program_of({"x*sin(y) + exp(sin(y))", "x - sin(y)"}), x, y);
  EXPECT_EQ(shared.points().instructions().size(), 3u);
  EXPECT_EQ(shared.values_per_x(), 1);
  EXPECT_EQ(shared.values_per_y(), 2);
}

// Beyond the values that are kept, terms are computed at the points.
TEST(GridProgram, VeryLongFormulasKeepABoundedNumberOfValues) {
  std::string sum = "1";
  for (int k = 1; k <= 400; ++k) sum += " + sin(" + std::to_string(k) + "*x)*cos(" + std::to_string(k) + "*y)";
  const Program program = program_of({sum.c_str()});
  const std::vector<double> x = some_points(3, 1), y = some_points(290, 2);
  const GridProgram prepared(program, x, y, exact);
  EXPECT_LE(prepared.values_per_x(), 256);
  EXPECT_LE(prepared.values_per_y(), 256);
  EXPECT_GT(prepared.values_per_y(), 200);
  EXPECT_EQ(differences(on_grid(prepared, x.size(), y.size()), plain(program, x, y)), 0);
}

TEST(GridProgram, PartsOfColumnsHaveTheBitsOfTheWhole) {
  const Program program = program_of({"exp(x*y)*sin(x - y) + y", "(2 + x)^y"});
  const std::vector<double> x = some_points(2, 1), y = some_points(1000, 2);
  const GridProgram prepared(program, x, y);
  const Table whole = on_grid(prepared, x.size(), y.size());
  GridProgram::Scratch scratch;
  for (const auto& [first, end] : {std::pair{0, 1}, {1, 8}, {3, 260}, {255, 257}, {511, 1000}, {999, 1000}, {5, 5}}) {
    std::vector<double> a(1001, -99), b(1001, -99);
    std::vector<float> fa(1001, -99), fb(1001, -99);
    double* results[] = {a.data(), b.data()};
    float* small_results[] = {fa.data(), fb.data()};
    prepared.evaluate(1, first, end, results, scratch);
    prepared.evaluate(1, first, end, small_results, scratch);
    for (int j = first; j < end; ++j) {
      ASSERT_EQ(bits(a[j - first]), bits(whole[0][1][j])) << first << " " << j;
      ASSERT_EQ(bits(b[j - first]), bits(whole[1][1][j])) << first << " " << j;
      ASSERT_EQ(fa[j - first], static_cast<float>(whole[0][1][j]));
      ASSERT_EQ(fb[j - first], static_cast<float>(whole[1][1][j]));
    }
    EXPECT_EQ(a[end - first], -99);
    EXPECT_EQ(fb[end - first], -99);
  }
}

TEST(GridProgram, ThreadsShareOne) {
  const Program program = program_of({"sin(x*y)*cos(y) + exp(x - y)"});
  const std::vector<double> x = some_points(2, 1), y = some_points(2000, 2);
  const GridProgram prepared(program, x, y);
  const Table reference = on_grid(prepared, 2, 2000);
  int different = 0;
#pragma omp parallel for num_threads(4) reduction(+ : different)
  for (int k = 0; k < 400; ++k) different += differences(on_grid(prepared, 2, 2000), reference);
  EXPECT_EQ(different, 0);
}

TEST(GridProgram, NeedsTwoVariablesAndNoPoints) {
  const Expression e = test::parse("x + z");
  try {
    GridProgram(Program(std::span(&e, 1), 3), {}, {});
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("of x and y"), std::string::npos) << error.what();
  }
  const GridProgram empty(program_of({"x*y", "3"}), {}, {});
  EXPECT_EQ(empty.result_count(), 2);
}

}  // namespace
}  // namespace halocline
