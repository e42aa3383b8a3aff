// What is measured on a solution, on every executor and on several ranks, in the way of the executor's kind and in that
// of GPUs: against plain sums over all nodes and Gauss points.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/collocation/solution.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/collocation/column_operator.hpp"
#include "tests/unit/collocation/multigrid/solve_case.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

// Any numbers, large enough to be told from rounding; one of them as wanted.
double unknown(Index i, Index j, int c, double spoiled) {
  if (i == 3 && j == 2) return spoiled;
  return std::sin(static_cast<double>(i) + 3 * static_cast<double>(j) + c) / (1 + c);
}

// Has such unknowns.
class GivenSolver final : public Solver {
 public:
  GivenSolver(const Context& context, const Formulation& problem, double spoiled) : context_(context) {
    const Index nx = problem.x.elements(), ny = problem.y.elements();
    const Partition partition(nx + 1, 1, context.shape.weights);
    for (int p = 0; p < context.team.parts(); ++p) {
      lines_.push_back(partition.block(context.team.first_part() + p));
      const NodalBlock block{lines_[p].lo[0], lines_[p].hi[0], nx, ny};
      auto& values = values_.emplace_back(static_cast<std::size_t>(block.size()), 0.0);
      for (Index i = 0; i < block.lines(); ++i)
        for (Index j = 0; j <= ny; ++j)
          for (int c = 0; c < 4; ++c)
            values[i * block.line_size() + block.place(c, j)] = unknown(block.first_line + i, j, c, spoiled);
    }
  }
  void begin() override {}
  bool iterate(int /*n*/) override { return true; }
  const SolveReport& report() const override { return report_; }
  void archive(StateArchive& /*state*/) override {}
  void unknowns(int part, double* to) override {
    context_.team.executor(part)->copy_in(to, values_[part].data(), values_[part].size() * sizeof(double));
  }
  Range<1> lines(int part) const override { return lines_[part]; }
  double bytes_per_iteration() const override { return 0; }
  std::string describe() const override { return "given"; }

 private:
  const Context& context_;
  std::vector<Range<1>> lines_;
  std::vector<std::vector<double>> values_;
  SolveReport report_;
};

double scale(const Formulation& problem, Index i, Index j, int c) {
  return (c % 2 == 1 ? problem.x.scale(i) : 1) * (c / 2 == 1 ? problem.y.scale(j) : 1);
}

std::vector<double> whole_line(const Formulation& problem, Index i) {
  std::vector<double> line = side_line(problem, i);
  for (Index j = 0; j <= problem.y.elements(); ++j)
    for (int c = 0; c < 4; ++c) line[4 * j + c] += unknown(i, j, c, 0.3);
  return line;
}

Errors plain_errors(const Formulation& problem) {
  Errors errors;
  const std::vector<double>&x = problem.x.nodes(), &y = problem.y.nodes();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto exact = plain_values(problem.exact, x[i], y);
    const auto line = whole_line(problem, static_cast<Index>(i));
    for (std::size_t j = 0; j < y.size(); ++j)
      for (int k = 0; k < 4; ++k) {
        const double error =
            line[4 * j + k] / scale(problem, static_cast<Index>(i), static_cast<Index>(j), k) - exact[k][j];
        errors.max[k] = std::max(errors.max[k], std::abs(error));
        errors.rms[k] += error * error / static_cast<double>(x.size() * y.size());
      }
  }
  for (double& rms : errors.rms) rms = std::sqrt(rms);
  return errors;
}

// Sum and difference of two equations r, l of an inner line: (r + l)^2 + (r - l)^2 = 2 (r^2 + l^2).
Residual plain_residual(const Formulation& problem) {
  double largest = 0, largest_f = 0, squares = 0;
  for (Index g = 0; g < problem.x.unknowns(); ++g) {
    const auto f = plain_values(problem.f, problem.x.gauss()[g], problem.y.gauss())[0];
    const auto applied =
        ColumnOperator(problem)(g, whole_line(problem, g / 2).data(), whole_line(problem, g / 2 + 1).data());
    const bool on_side = g == 0 || g == problem.x.unknowns() - 1;
    for (std::size_t k = 0; k < f.size(); ++k) {
      const double r = applied[k] - f[k];
      largest = std::max(largest, std::abs(r));
      largest_f = std::max(largest_f, std::abs(f[k]));
      squares += (on_side ? 1 : 2) * r * r;
    }
  }
  return {largest_f > 0 ? largest / largest_f : largest,
          problem.x.mean_length() * problem.y.mean_length() * std::sqrt(squares)};
}

class SolutionTest : public testing::TestWithParam<TestDevice> {
 protected:
  // Two parts on every rank.
  void expect_measures(const Formulation& problem) const {
    const Errors expected = plain_errors(problem);
    const Residual expected_residual = plain_residual(problem);
    ASSERT_GT(expected_residual.relative_max, 1e-3);
    for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points}) {
      GivenSolver solver(context_, problem, 0.3);
      const Solution solution(context_, problem, solver, path);
      const Errors errors = solution.errors(world_);
      for (int k = 0; k < 4; ++k) {
        expect_near(errors.max[k], expected.max[k]);
        expect_near(errors.rms[k], expected.rms[k]);
      }
      const Residual residual = solution.residual(world_);
      expect_near(residual.relative_max, expected_residual.relative_max);
      expect_near(residual.scaled_norm, expected_residual.scaled_norm);
      expect_fields(problem, solution);
      expect_nodes(problem, solution);
    }
  }

  static void expect_near(double found, double expected) { EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected)); }

  void expect_fields(const Formulation& problem, const Solution& solution) const {
    for (int p = 0; p < team_.parts(); ++p)
      for (int which = 0; which < 4; ++which) {
        const std::vector<double> field = solution.field(p, which).to_host();
        std::size_t n = 0;
        for (Index i = solution.lines(p).lo[0]; i < solution.lines(p).hi[0]; ++i) {
          const auto line = whole_line(problem, i);
          for (Index j = 0; j <= problem.y.elements(); ++j) {
            const double expected = line[4 * j + which] / scale(problem, i, j, which);
            ASSERT_NEAR(field.at(n++), expected, 1e-14 * (1 + std::abs(expected)));
          }
        }
        EXPECT_EQ(n, field.size());
      }
  }

  // At nodes the function and its derivatives are the unknowns.
  void expect_nodes(const Formulation& problem, const Solution& solution) const {
    for (const Index i : {Index{0}, Index{7}, problem.x.elements()})
      for (const Index j : {Index{0}, Index{3}, problem.y.elements()}) {
        const std::vector<std::array<double, 3>> place{{problem.x.nodes()[i], problem.y.nodes()[j], 0}};
        const auto line = whole_line(problem, i);
        for (int which = 0; which < 4; ++which) {
          const double expected = line[4 * j + which] / scale(problem, i, j, which);
          EXPECT_NEAR(solution.at_points(world_, place, which)[0], expected, 1e-11 * (1 + std::abs(expected)));
        }
      }
  }

  static constexpr int devices = 2;
  const Communicator world_{MPI_COMM_WORLD};
  const Team team_{make_test_executors(GetParam(), devices), world_.rank() * devices, world_.size() * devices};
  mutable Timers timers_;
  mutable Log log_{false, LogLevel::off};
  const Context context_{
      world_, team_, timers_, log_,
      Shape{world_.size(), std::vector<double>(static_cast<std::size_t>(world_.size() * devices), 1.0)}};
};
INSTANTIATE_TEST_SUITE_P(Executors, SolutionTest, testing::ValuesIn(test_devices()), executor_name);

Formulation problem_of(const Coefficients& coefficients, const EndCondition& low, const EndCondition& high, Index ny) {
  return make_formulation(Axis(random_nodes(19, 3, 1), low, high), Axis(random_nodes(ny, 3, 2), high, low),
                          coefficients, exact_us);
}

TEST_P(SolutionTest, MeasuresAreThoseOfPlainSums) {
  expect_measures(problem_of(p2, dirichlet, dirichlet, 7));
  expect_measures(problem_of(p2, robin_low, neumann, 70));
  expect_measures(problem_of(p2, dirichlet, robin_low, 300));  // more rows than one pass along a column takes
  expect_measures(problem_of(p1, neumann, dirichlet, 5));
}

// Nothing given on the sides, no right-hand side.
TEST_P(SolutionTest, HomogeneousProblem) {
  const Axis axis(random_nodes(19, 3, 1));
  expect_measures(make_formulation(axis, axis, p1));
}

TEST_P(SolutionTest, WhatIsNoNumberShows) {
  const Formulation problem = problem_of(p2, dirichlet, dirichlet, 7);
  for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points}) {
    GivenSolver solver(context_, problem, std::nan(""));
    const Solution solution(context_, problem, solver, path);
    const Errors errors = solution.errors(world_);
    for (int k = 0; k < 4; ++k) {
      EXPECT_TRUE(std::isnan(errors.max[k]));
      EXPECT_TRUE(std::isnan(errors.rms[k]));
    }
    const Residual residual = solution.residual(world_);
    EXPECT_TRUE(std::isnan(residual.relative_max));
    EXPECT_TRUE(std::isnan(residual.scaled_norm));
  }
}

}  // namespace
}  // namespace halocline::collocation
