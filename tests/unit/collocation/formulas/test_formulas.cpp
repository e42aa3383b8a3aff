// Set-up from formulas on every executor, in the way of its kind and in that of GPUs, a thread per point: against plain
// evaluation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/problems/collocation/discretization/equations.hpp"
#include "lib/problems/collocation/formulas/coefficient_check.hpp"
#include "tests/unit/collocation/column_operator.hpp"
#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/collocation/on_host.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

const std::array<std::string, 6> varying{"2 + sin(pi*x)*cos(pi*y)", "0.4*cos(x-y)", "1.5 + 0.5*cos(x*y)", "5*cos(y)",
                                         "-3*x + 1e-3/(2 + y)",     "-1 - exp(x*y)"};
const std::array<std::string, 6> constant{"2", "0.5", "3", "-1", "4", "-2"};
constexpr const char* exact = "sin(2*x+1)*cos(3*y) + exp(x*y/2)";

Formulation problem_on(Index nx, Index ny, const std::array<std::string, 6>& coefficients, const EndCondition& low,
                       const EndCondition& high) {
  return make_formulation(Axis(random_nodes(nx, 3, 1), low, high), Axis(random_nodes(ny, 3, 2), high, low),
                          coefficients, exact);
}

// The same problem with one formula exchanged.
Formulation with_f(Formulation problem, const std::string& f) {
  static constexpr std::array<const char*, 2> xy{"x", "y"};
  const Expression expression = Scope(xy).parse(Formula{f, {"test", 1, 1}});
  problem.f = Program({&expression, 1}, 2);
  return problem;
}

std::vector<NodalBlock> blocks_of(Index nx, Index ny) {
  return {{0, nx + 1, nx, ny}, {0, 2, nx, ny}, {1, 2, nx, ny}, {nx / 2, nx + 1, nx, ny}};
}

constexpr std::array<FormulaPath, 2> both_paths{FormulaPath::of_executor, FormulaPath::points};

// f - L G at Gauss column gx, plainly.
std::vector<double> equations_at(const Formulation& problem, Index gx) {
  std::vector<double> values = plain_values(problem.f, problem.x.gauss()[gx], problem.y.gauss())[0];
  const auto given =
      ColumnOperator(problem)(gx, side_line(problem, gx / 2).data(), side_line(problem, gx / 2 + 1).data());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] -= given[k];
  return values;
}

// Arrays of a part in the layout of nodal_layout.hpp, `count` of them per line: array `which` has expected(gx)[gy] at
// the equation of Gauss point (gx, gy), zero elsewhere.
template <class T, class Expected>
void expect_at_points(const std::vector<T>& found, const NodalBlock& block, int which, int count, double tolerance,
                      const Expected& expected) {
  for (Index i = 0; i < block.lines(); ++i)
    for (int c = 0; c < 4; ++c) {
      const Index gx = 2 * (block.first_line + i) - 1 + c % 2;
      std::vector<double> column(static_cast<std::size_t>(2 * block.ny));
      if (gx >= 0 && gx < 2 * block.nx) column = expected(gx);
      double size = 0;
      for (const double value : column) size = std::max(size, std::abs(value));
      for (Index place = 0; place < block.stride(); ++place) {
        const Index gy = 2 * (place - NodalBlock::margin) - 1 + c / 2;
        const double value = found[(i * count + which) * block.line_size() + c * block.stride() + place];
        const bool there = gy >= 0 && gy < 2 * block.ny;
        ASSERT_NEAR(value, there ? column[gy] : 0, there ? tolerance * size : 0) << i << ' ' << c << ' ' << place;
      }
    }
}

class Formulas : public OnEveryExecutor {
 protected:
  template <class T>
  void expect_coefficients(const Formulation& problem, const NodalBlock& block, FormulaPath path) const {
    const Equations<T> equations(problem, problem.x, problem.y, block, executor(), executor()->threads(), path);
    std::vector<T> found(static_cast<std::size_t>(6 * block.size()));
    executor()->copy_out(found.data(), equations.view().sampled, found.size() * sizeof(T));
    for (int k = 0; k < coefficient_count; ++k)
      expect_at_points(found, block, k, coefficient_count, sizeof(T) == 8 ? 1e-14 : 5e-7, [&](Index gx) {
        return plain_values(problem.coefficients, problem.x.gauss()[gx], problem.y.gauss())[k];
      });
  }
};
INSTANTIATE_TEST_SUITE_P(Executors, Formulas, every_executor(), executor_name);

TEST_P(Formulas, CoefficientsStandAtTheirPlaces) {
  for (const FormulaPath path : both_paths)
    for (const auto& [nx, ny] : {std::pair{11, 14}, {2, 1}, {2, 300}})
      for (const NodalBlock& block : blocks_of(nx, ny)) {
        const Formulation problem = problem_on(nx, ny, varying, robin_low, dirichlet);
        expect_coefficients<double>(problem, block, path);
        expect_coefficients<float>(problem, block, path);
      }
}

// Right-hand sides are sums of terms of order u / h^2.
TEST_P(Formulas, RightHandSidesAreFWithoutWhatTheSidesGive) {
  for (const FormulaPath path : both_paths)
    for (const auto& [low, high] : {std::pair{dirichlet, dirichlet}, {robin_low, neumann}, {neumann, dirichlet}})
      for (const auto& [nx, ny] : {std::pair{11, 14}, {2, 1}, {1, 2}, {3, 3}})
        for (const auto& coefficients : {varying, constant})
          for (const NodalBlock& block : blocks_of(nx, ny)) {
            if (block.first_line >= block.end_line) continue;
            const Formulation problem = problem_on(nx, ny, coefficients, low, high);
            std::optional<GaussPoint> bad;
            const auto found = right_hand_side_on_host(executor(), problem, block, bad, path);
            EXPECT_FALSE(bad);
            expect_at_points(found, block, 0, 1, 1e-12, [&](Index gx) { return equations_at(problem, gx); });
          }
}

TEST_P(Formulas, TheFirstPointWhereFIsNotFiniteIsNamed) {
  const Formulation good = problem_on(11, 14, varying, robin_low, dirichlet);
  for (const FormulaPath path : both_paths)
    for (const char* f : {"log((x - 0.25)*(0.6 - y))", "1/step((x - 0.25)*(0.6 - y))", "if(x < 0.5, 1, log(-y))"})
      for (const NodalBlock& block : {NodalBlock{0, 12, 11, 14}, NodalBlock{6, 12, 11, 14}}) {
        const Formulation problem = with_f(good, f);
        std::optional<GaussPoint> expected, found;
        for (Index gx = std::max<Index>(2 * block.first_line - 1, 0); gx < 22 && !expected; ++gx) {
          const auto values = plain_values(problem.f, problem.x.gauss()[gx], problem.y.gauss())[0];
          for (std::size_t gy = 0; gy < values.size() && !expected; ++gy)
            if (!std::isfinite(values[gy])) expected = {problem.x.gauss()[gx], problem.y.gauss()[gy]};
        }
        const auto b = right_hand_side_on_host(executor(), problem, block, found, path);
        ASSERT_TRUE(found && expected) << f;
        EXPECT_EQ(found->x, expected->x) << f;
        EXPECT_EQ(found->y, expected->y) << f;
        for (const double value : b) EXPECT_TRUE(std::isfinite(value));
      }
}

// As checks of one column after the other find it.
TEST_P(Formulas, TheFirstBadCoefficientIsNamed) {
  int faults = 0;
  for (const auto& [k, formula] : {std::pair{3, "1/step((0.7 - x)*(y - 0.2))"},
                                   {5, "x - 0.5"},
                                   {0, "x - 0.3"},
                                   {2, "1.5 - 2*step(y - 0.7)*step(x - 0.4)"},
                                   {1, "3*x"},
                                   {4, "log(x*y - 0.5)"}}) {
    auto coefficients = varying;
    coefficients[k] = formula;
    const Formulation problem = problem_on(11, 14, coefficients, robin_low, dirichlet);
    for (const NodalBlock& block : blocks_of(11, 14))
      for (const bool allow : {false, true}) {
        std::optional<CoefficientFault> expected;
        const Index end = std::min<Index>(2 * block.end_line - 1, 22);
        for (Index gx = std::max<Index>(2 * block.first_line - 1, 0); gx < end && !expected; ++gx) {
          CoefficientColumn column;
          evaluate_coefficients(problem, problem.x.gauss()[gx], problem.y, column);
          expected = check_coefficients(column, problem.x.gauss()[gx], problem.y, allow);
        }
        for (const FormulaPath path : both_paths) {
          const auto found = check_coefficients(executor(), problem, block, allow, executor()->threads(), path);
          ASSERT_EQ(found.has_value(), expected.has_value()) << formula;
          if (!found) continue;
          EXPECT_EQ(found->coefficient, expected->coefficient);
          EXPECT_EQ(found->x, expected->x);
          EXPECT_EQ(found->y, expected->y);
          EXPECT_EQ(found->what, expected->what);
          ++faults;
        }
      }
  }
  EXPECT_GT(faults, 40);
}

// One bad value at any point of a column, of any kind.
TEST(CoefficientColumns, EveryConditionOnCoefficientsIsCheckedAtEveryPoint) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Axis x({0, 1}), y(uniform_nodes(0, 1, 9));
  const std::size_t points = y.gauss().size();
  const std::array<double, 6> good{2, 1, 3, -50, 1e6, 0};
  const auto fault_of = [&](int k, std::size_t at, double value, bool allow_indefinite) {
    CoefficientColumn column;
    for (int n = 0; n < coefficient_count; ++n) column[n].assign(points, good[n]);
    if (k >= 0) column[k][at] = value;
    return check_coefficients(column, 0.5, y, allow_indefinite);
  };
  EXPECT_FALSE(fault_of(-1, 0, 0, false));
  for (std::size_t at = 0; at < points; ++at) {
    const auto expect = [&](int k, double value, int blamed, const char* what, bool allow = false) {
      const auto fault = fault_of(k, at, value, allow);
      ASSERT_TRUE(fault) << k << " = " << value;
      EXPECT_EQ(fault->coefficient, blamed);
      EXPECT_EQ(fault->y, y.gauss()[at]);
      EXPECT_NE(fault->what.find(what), std::string::npos) << fault->what;
    };
    for (int k = 0; k < coefficient_count; ++k)
      for (const double value : {infinity, -infinity, std::nan("")}) {
        expect(k, value, k, "is not finite");
        expect(k, value, k, "is not finite", true);
      }
    for (const double value : {0.0, -1.0}) {
      expect(0, value, 0, "neither a nor c may change sign");
      expect(2, value, 2, "neither a nor c may change sign");
    }
    for (const double value : {std::sqrt(6.0) + 1e-9, -3.0}) expect(1, value, 1, "a c - b^2 must be positive");
    expect(5, 1e-300, 5, "allow_indefinite");
    EXPECT_FALSE(fault_of(5, at, 1e-300, true));
    EXPECT_FALSE(fault_of(1, at, -2.4, false));
  }
}

}  // namespace
}  // namespace halocline::collocation
