// Boundary data and right-hand sides for all kinds of sides and variable coefficients, against solutions that lie in
// the space of splines: for those the equations hold exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "lib/problems/collocation/axes/side_layout.hpp"
#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/collocation/column_operator.hpp"
#include "tests/unit/collocation/on_host.hpp"

namespace halocline::collocation {
namespace {

constexpr const char* cubic = "(1 + 2*x - x^3)*(2 - y + 3*y^3) + x*y - x^2*y^2";

CollocationOptions general(const std::string& exact) {
  auto options = manufactured(exact, 4, 6, 1, 1, 0, -1);
  options.block.equation.a = formula("2+sin(pi*x)*cos(pi*y)");
  options.block.equation.b = formula("0.4*cos(x-y)");
  options.block.equation.c = formula("1.5+0.5*cos(x*y)");
  options.block.equation.d = formula("5*cos(y)");
  options.block.equation.e = formula("-3*x");
  options.block.equation.eta = formula("-(1+x^2+y^2)");
  options.block.mesh.x.map = formula("0.7*t^1.5 + 0.3*t");
  options.block.mesh.y.from = -1;
  return options;
}

void set_side(CollocationOptions& options, int side, SideKind kind, const char* alpha = "", const char* beta = "") {
  SideOptions& given = options.block.sides.sides[side];
  given.given = true;
  given.kind = kind;
  given.alpha = formula(alpha);
  given.beta = formula(beta);
}

// The kinds of x_min, x_max, y_min, y_max by letters d, n, r.
CollocationOptions with_sides(const std::string& kinds, SideDataChoice data) {
  auto options = general(cubic);
  for (int side = 0; side < 4; ++side) {
    const char kind = kinds[side];
    if (kind == 'd') set_side(options, side, SideKind::dirichlet);
    if (kind == 'n') set_side(options, side, SideKind::neumann);
    if (kind == 'r') set_side(options, side, SideKind::robin, side % 2 == 0 ? "2" : "1", side % 2 == 0 ? "1" : "3");
    options.block.sides.sides[side].data = data;
  }
  return options;
}

// Hermite unknowns of the exact solution on line i, minus `boundary` times those that the sides give.
std::vector<double> exact_line(const Formulation& p, Index i, double boundary) {
  const std::size_t points = p.y.nodes().size();
  std::vector<double> fields(4 * points), line;
  std::array<std::span<double>, 4> results;
  for (int k = 0; k < 4; ++k) results[k] = std::span(fields).subspan(k * points, points);
  evaluate_along_y(p.exact, p.x.nodes()[i], p.y.nodes(), results);
  for (Index j = 0; j <= p.y.elements(); ++j)
    for (int c = 0; c < 4; ++c) {
      const double scale = (c % 2 == 1 ? p.x.scale(i) : 1) * (c / 2 == 1 ? p.y.scale(j) : 1);
      line.push_back(scale * fields[c * points + j] - boundary * p.boundary.value(i, c % 2, j, c / 2));
    }
  return line;
}

const std::array<const char*, 8> all_kinds{"dddd", "nnnn", "rrrr", "dndr", "rdnd", "nrdd", "ddnr", "drrn"};

// Node by node, constant conditions leave what the Kronecker products of those of the axes leave: the same G, and
// tangents that span the same.
TEST(Boundary, ConditionsOfNodesAreThoseOfTheAxes) {
  for (const char* kinds : all_kinds) {
    const Formulation p = formulate(with_sides(kinds, SideDataChoice::interpolated));
    SideConditions conditions;
    std::array<SideData, 4> data;
    for (std::size_t side = 0; side < 4; ++side) {
      data[side] = p.boundary.side(static_cast<Side>(side));
      const EndCondition& end = (side < 2 ? p.x : p.y).condition(side % 2 == 0 ? End::low : End::high);
      conditions.sides[side].assign(data[side].size() / 2, {end.alpha, end.beta, 0, 0});
    }
    const Boundary by_nodes(data, p.x, p.y, false, std::make_shared<SideConditions>(conditions));
    const auto t = [](const Axis& axis, Index i) -> std::array<std::array<double, 2>, 2> {
      if (i == 0) return {axis.tangent(End::low), {0, 0}};
      if (i == axis.elements()) return {axis.tangent(End::high), {0, 0}};
      return {std::array<double, 2>{1, 0}, std::array<double, 2>{0, 1}};
    };
    for (Index i = 0; i <= p.x.elements(); ++i)
      for (Index j = 0; j <= p.y.elements(); ++j) {
        for (int c = 0; c < 4; ++c)
          EXPECT_NEAR(by_nodes.value(i, c % 2, j, c / 2), p.boundary.value(i, c % 2, j, c / 2), 1e-9) << kinds;
        if (!SideNodes{p.x.elements(), p.y.elements()}.on_side(i, j)) continue;
        const auto tangents = side_node(conditions, nullptr, p.x, p.y, i, j).tangents;
        const auto along_x = t(p.x, i), along_y = t(p.y, j);
        for (int a = 0; a < 4; ++a)
          for (int b = 0; b < 4; ++b) {
            double found = 0, expected = 0;  // projections
            for (int k = 0; k < 2; ++k) {
              found += tangents[k][a] * tangents[k][b];
              for (int l = 0; l < 2; ++l)
                expected += along_x[k][a % 2] * along_y[l][a / 2] * along_x[k][b % 2] * along_y[l][b / 2];
            }
            EXPECT_NEAR(found, expected, 1e-12) << kinds << " " << i << " " << j;
          }
      }
  }
}

// What is left without G fulfills the end conditions with value 0 everywhere.
TEST(Boundary, TakesTheSideValuesOutOfTheSolution) {
  for (const auto data : {SideDataChoice::interpolated, SideDataChoice::gauss})
    for (const char* kinds : all_kinds) {
      const Formulation p = formulate(with_sides(kinds, data));
      for (const End end : {End::low, End::high}) {
        const auto left = exact_line(p, end == End::low ? 0 : p.x.elements(), 1);
        const auto b = p.x.functional(end);
        for (Index j = 0; j <= p.y.elements(); ++j)
          for (int ys = 0; ys < 2; ++ys)
            EXPECT_NEAR(b[0] * left[4 * j + 2 * ys] + b[1] * left[4 * j + 1 + 2 * ys], 0, 1e-12) << kinds << j;
      }
      for (Index i = 0; i <= p.x.elements(); ++i) {
        const auto left = exact_line(p, i, 1);
        for (const End end : {End::low, End::high}) {
          const auto b = p.y.functional(end);
          const double* node = left.data() + (end == End::low ? 0 : 4 * p.y.elements());
          for (int xs = 0; xs < 2; ++xs) EXPECT_NEAR(b[0] * node[xs] + b[1] * node[xs + 2], 0, 1e-12) << kinds << i;
        }
      }
    }
}

TEST(Assembly, RightHandSidesAreTheOperatorAppliedToWhatIsLeft) {
  for (const char* kinds : all_kinds) {
    const Formulation p = formulate(with_sides(kinds, SideDataChoice::interpolated));
    const NodalBlock block{1, 4, p.x.elements(), p.y.elements()};
    std::optional<GaussPoint> bad;
    const auto b = right_hand_side_on_host(make_omp_executor(2), p, block, bad);
    EXPECT_FALSE(bad);
    const ColumnOperator apply(p);
    for (Index i = block.first_line; i < block.end_line; ++i)
      for (int qx = 0; qx < 2; ++qx) {
        const Index g = 2 * i - 1 + qx;
        const auto expected = apply(g, exact_line(p, g / 2, 1).data(), exact_line(p, g / 2 + 1, 1).data());
        for (Index k = 0; k < p.y.unknowns(); ++k) {
          const double found = b[(i - 1) * block.line_size() + block.place(qx + (k % 2 == 0 ? 2 : 0), (k + 1) / 2)];
          EXPECT_NEAR(found, expected[k], 1e-9) << kinds << " line " << i << " equation " << k;
        }
      }
  }
}

TEST(ColumnOperator, GivesTheRightHandSideOfASolution) {
  const Formulation p = formulate(general(cubic));
  const ColumnOperator apply(p);
  for (Index g = 0; g < p.x.unknowns(); ++g) {
    const auto f = plain_values(p.f, p.x.gauss()[g], p.y.gauss())[0];
    const auto found = apply(g, exact_line(p, g / 2, 0).data(), exact_line(p, g / 2 + 1, 0).data());
    for (std::size_t k = 0; k < f.size(); ++k)
      EXPECT_NEAR(found[k], f[k], 1e-10 * (1 + std::abs(f[k]))) << g << " " << k;
  }
}

}  // namespace
}  // namespace halocline::collocation
