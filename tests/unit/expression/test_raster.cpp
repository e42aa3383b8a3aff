// Rasters: interpolation against the functions that the values are samples of, means against sums over cells, and what
// becomes of a name that stands for one in formulas.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "lib/expression/program.hpp"
#include "lib/expression/program_split.hpp"
#include "lib/expression/scope.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

using Place = std::function<double(double, double, double)>;

// Samples on points origin + n spacing.
std::shared_ptr<const Raster> sampled(RasterView view, const Place& f) {
  std::vector<double> values;
  const auto at = [&](int axis, Index n) { return view.origin[axis] + static_cast<double>(n) * view.spacing[axis]; };
  for (Index z = 0; z < view.extent[2]; ++z)
    for (Index y = 0; y < view.extent[1]; ++y)
      for (Index x = 0; x < view.extent[0]; ++x) values.push_back(f(at(0, x), at(1, y), at(2, z)));
  return make_raster(std::move(values), view);
}

TEST(Raster, LinearIsExactForWhatIsLinearAlongEveryAxis) {
  const Place f = [](double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z + x * y - 2 * y * z; };
  for (const double direction : {1.0, -1.0}) {  // an axis may run down
    const double top = direction < 0 ? 2 : 0;
    const auto raster =
        sampled({.extent = {5, 4, 6}, .origin = {0, top, -1}, .spacing = {0.25, direction / 3, 0.4}}, f);
    for (const double x : {-0.2, 0.0, 0.1, 0.49, 1.0, 1.1})  // outside too
      for (const double y : {0.0, 0.3, 0.777, 1.0})
        for (const double z : {-1.0, -0.55, 0.3, 1.1})
          EXPECT_NEAR(raster->view.look(x, y, z), f(x, y, z), 1e-14 * 10) << x << " " << y << " " << z;
  }
}

TEST(Raster, ValuesAreMetWhereTheyAreAndHaveNoOtherWeightThere) {
  const double nan = std::nan("");
  const auto raster =
      make_raster({0.1, nan, 0.3, nan}, {.extent = {2, 2, 1}, .origin = {0.1, 0.7, 0}, .spacing = {0.3, 0.7, 1}});
  EXPECT_EQ(raster->view.look(0.1, 0.7, 0), 0.1);
  EXPECT_EQ(raster->view.look(0.1, 0.7 + 0.7, 0), 0.3);
  EXPECT_TRUE(std::isnan(raster->view.look(0.2, 0.7, 0)));
}

TEST(Raster, LinearHasOrderTwo) {
  const Place f = [](double x, double y, double) { return std::sin(3 * x) * std::cos(2 * y); };
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const Index n = k == 0 ? 33 : 65;
    const double h = 1.0 / static_cast<double>(n - 1);
    const auto raster = sampled({.extent = {n, n, 1}, .spacing = {h, h, 1}}, f);
    errors[k] = 0;
    for (int i = 0; i < 1000; ++i) {
      const double x = std::fmod(0.618034 * i, 1), y = std::fmod(0.754878 * i, 1);
      errors[k] = std::max(errors[k], std::abs(raster->view.look(x, y, 0) - f(x, y, 0)));
    }
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
}

TEST(Raster, NearestTakesTheNearest) {
  const auto raster = make_raster({1, 2, 3, 4, 5, 6}, {.extent = {3, 2, 1}, .interpolation = Interpolation::nearest});
  EXPECT_EQ(raster->view.look(0.4, 0.4, 0), 1);
  EXPECT_EQ(raster->view.look(0.6, 0.6, 0), 5);
  EXPECT_EQ(raster->view.look(-7, 9, 0), 4);
  EXPECT_EQ(raster->view.look(9, -7, 0), 3);
}

// Means over the cells of another grid of the same box: coarser, finer, and at odds.
TEST(Raster, ConservativeKeepsTheIntegral) {
  const Index nx = 12, ny = 7, nz = 5;
  std::vector<double> values;
  double whole = 0;
  for (Index n = 0; n < nx * ny * nz; ++n) whole += values.emplace_back(std::sin(static_cast<double>(n * n)));
  whole /= static_cast<double>(nx * ny * nz);
  for (const double down : {1.0, -1.0})
    for (const Index n : {3, 5, 12, 24, 31}) {
      const double h[3] = {3.0 / static_cast<double>(n), 1.0 / static_cast<double>(n), 2.0 / static_cast<double>(n)};
      const double dx = 3.0 / nx, dy = down / ny, dz = 2.0 / nz;
      const auto raster = make_raster(values, {.extent = {nx, ny, nz},
                                               .origin = {dx / 2, down < 0 ? 1 + dy / 2 : dy / 2, dz / 2},
                                               .spacing = {dx, dy, dz},
                                               .reach = {h[0] / 2, h[1] / 2, h[2] / 2},
                                               .interpolation = Interpolation::conservative});
      double sum = 0;
      for (Index z = 0; z < n; ++z)
        for (Index y = 0; y < n; ++y)
          for (Index x = 0; x < n; ++x)
            sum += raster->view.look((static_cast<double>(x) + 0.5) * h[0], (static_cast<double>(y) + 0.5) * h[1],
                                     (static_cast<double>(z) + 0.5) * h[2]);
      EXPECT_NEAR(sum / static_cast<double>(n * n * n), whole, 1e-15) << n;
    }
}

TEST(Raster, ConservativeOnTheSameCellsTakesThem) {
  const RasterView view{.extent = {3, 3, 1},
                        .origin = {0.05, 0.05, 0},
                        .spacing = {0.1, 0.1, 1},
                        .reach = {0.05, 0.05, 0},
                        .interpolation = Interpolation::conservative};
  const auto raster = make_raster({1. / 3, 2, 3, 4, 5, 6, 7, 8, 9}, view);
  EXPECT_EQ(raster->view.look(0.05, 0.05, 0), 1. / 3);
  EXPECT_EQ(raster->view.look(0.25, 0.15, 0), 6);
  EXPECT_EQ(raster->view.look(0.3, 0.15, 0), 6);  // on the border: the half that is there
}

// Names in formulas.
constexpr const char* variables[] = {"x", "y", "z", "t", "c"};

Definitions names() {
  Definitions made;
  made.data.push_back({"kappa", sampled({.extent = {3, 2, 1}, .spacing = {1, 1, 1}},
                                        [](double x, double y, double) { return x + 10 * y; })});
  made.definitions.push_back(test::formula("twice = 2*kappa"));
  return made;
}

double value_of(const Expression& e, double x, double y, double c = 0) {
  const Program program({&e, 1}, 5);
  const double zero = 0;
  double value = 0;
  const std::span<const double> at[5] = {{&x, 1}, {&y, 1}, {&zero, 1}, {&zero, 1}, {&c, 1}};
  const std::span<double> to[1] = {{&value, 1}};
  evaluate(program, at, to);
  const double tree[5] = {x, y, 0, 0, c};
  EXPECT_EQ(std::bit_cast<std::uint64_t>(evaluate(e, tree)), std::bit_cast<std::uint64_t>(value));
  return value;
}

bool is_number(const Expression& e, double value) { return e.is_constant() && e.value() == value; }

TEST(DataName, StandsForTheFieldInFormulasAndDefinitions) {
  const Scope scope(variables, names());
  EXPECT_NEAR(value_of(scope.parse(test::formula("1 + twice*c + kappa")), 1.5, 0.25, 3), 1 + 7 * 4.0, 1e-14);
}

TEST(DataName, DependsOnPlace) {
  const Scope scope(variables, names());
  static constexpr const char* time[] = {"t"};
  std::vector<FormulaFault> faults;
  scope.parse(test::formula("kappa + t"), time, faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].message.find("'kappa' depends on 'x'"), std::string::npos) << faults[0].message;
}

TEST(DataName, HasDerivativesByWhatItDoesNotDependOn) {
  const Scope scope(variables, names());
  const Expression e = scope.parse(test::formula("kappa*c^2"));
  EXPECT_EQ(value_of(derivative(e, 4), 1, 1, 3), 11 * 6);
}

// Between values the derivative of what they are linear interpolants of; the outermost ones hold beyond the border.
TEST(DataName, HasASlopeByPlaceBetweenValues) {
  for (const double down : {1.0, -1.0}) {
    Definitions given;
    const RasterView view{.extent = {4, 3, 1}, .origin = {0, down < 0 ? 1.0 : 0, 0}, .spacing = {0.5, down / 2, 1}};
    given.data.push_back({"k", sampled(view, [](double x, double y, double) { return x * x * (1 + y * y); })});
    const Scope scope(variables, given);
    const Expression k = scope.parse(test::formula("k"));
    const Expression k_x = derivative(k, 0), k_y = derivative(k, 1);
    for (const double x : {-0.1, 0.2, 0.6, 1.3, 1.6})
      for (const double y : {-0.1, 0.1, 0.7, 1.1}) {
        const double h = 0x1p-20;
        EXPECT_NEAR(value_of(k_x, x, y), (value_of(k, x + h, y) - value_of(k, x - h, y)) / (2 * h), 1e-8) << x << y;
        EXPECT_NEAR(value_of(k_y, x, y), (value_of(k, x, y + h) - value_of(k, x, y - h)) / (2 * h), 1e-8) << x << y;
      }
    EXPECT_NEAR(value_of(k_x, 0.6, 0), 1.5, 1e-14);                    // (1 - 1/4) / (1/2)
    EXPECT_NEAR(value_of(derivative(k_x, 1), 0.6, 0.2), 0.75, 1e-14);  // 1.5 times (5/4 - 1) / (1/2)
    EXPECT_TRUE(is_number(derivative(k_x, 0), 0));
    const Expression inner = scope.parse(test::formula("k*x"));
    EXPECT_NEAR(value_of(derivative(inner, 0), 0.6, 0), 0.4 + 0.6 * 1.5, 1e-14);
  }
}

TEST(DataName, ThatJumpsHasNoSlope) {
  Definitions given;
  given.data.push_back({"k", make_raster({1, 2}, {.extent = {2, 1, 1}, .interpolation = Interpolation::nearest})});
  const Scope scope(variables, given);
  const Expression k = scope.parse(test::formula("k"));
  EXPECT_THROW(derivative(k, 0), DeckError);
  EXPECT_TRUE(is_number(derivative(k, 1), 0));  // one value along y
}

TEST(DataName, MovesToAnotherScope) {
  const Scope scope(variables, names()), other(variables);
  const Expression e = scope.parse(test::formula("kappa + c"));
  const Expression at[5] = {other.variable(1), other.variable(0), 0, 0, other.variable(4)};
  EXPECT_EQ(value_of(substitute(e, at), 0.5, 1.5, 1), 1.5 + 5 + 1);
  const Expression fixed[5] = {2, 1, 0, 0, 7};
  EXPECT_EQ(substitute(e, fixed).value(), 12 + 7);  // a number where the place is one
}

TEST(DataName, IsTakenOutOfPrograms) {
  const Scope scope(variables, names());
  const Expression e = scope.parse(test::formula("kappa*c + sin(kappa)"));
  const StillParts parts = split_looks(Program({&e, 1}, 5));
  ASSERT_EQ(parts.still.size(), 1u);
  EXPECT_EQ(parts.rest.variable_count(), 6);
  EXPECT_TRUE(parts.rest.rasters().empty());
  EXPECT_FALSE(parts.rest.uses(0));
  EXPECT_TRUE(parts.still[0].uses(0) && parts.still[0].uses(1));
}

TEST(DataName, IsTakenForNothingElse) {
  Definitions given = names();
  given.constants.emplace_back("kappa", test::formula("1"));
  std::vector<FormulaFault> faults;
  const Scope scope(variables, given, faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].message.find("already one of `data`"), std::string::npos) << faults[0].message;
}

}  // namespace
}  // namespace halocline
