// The symmetric pencil against dense LU on any mesh with any ends, and against the closed form.
#include <cmath>
#include <numbers>

#include "lib/problems/collocation/direct/closed_basis.hpp"
#include "lib/problems/collocation/direct/dense_modes.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "tests/unit/collocation/direct/inverse_cases.hpp"
#include "tests/unit/collocation/direct/solver_cases.hpp"

namespace halocline::collocation {
namespace {

const EndCondition dirichlet{1, 0}, neumann{0, 1}, robin_low{2, 1}, robin_high{1, 3};

std::vector<double> values_at_gauss(const Axis& axis, const std::function<double(double)>& f) {
  std::vector<double> values;
  for (const double t : axis.gauss()) values.push_back(f(t));
  return values;
}

MakeInverse dense_inverse(const DirectCase& given, double eta) {
  return [given, eta](const Layout& layout) {
    const Axis x = given.axis_x(), y = given.axis_y();
    const auto a = values_at_gauss(x, [&](double t) { return given.a(t, 0); });
    const auto c = values_at_gauss(y, [&](double t) { return given.c(0, t); });
    const PencilBasis xs = pencil_basis(x, a, layout.comm), ys = pencil_basis(y, c, layout.comm);
    std::vector<std::unique_ptr<AlongY>> along;
    for (int p = 0; p < layout.team.parts(); ++p)
      along.push_back(make_dense_along(ys, layout.blocks[p], layout.team.executor(p)));
    auto across = make_dense_across(layout.comm, layout.team, layout.blocks, xs, eta, ys.values);
    return std::make_unique<SeparableInverse>(layout.blocks, std::move(along), std::move(across));
  };
}

DirectCase pencil_case(Index nx, Index ny, const EndCondition (&ends)[4]) {
  DirectCase given{graded_nodes(nx), graded_nodes(ny), ends[0], ends[1], ends[2], ends[3], {}, {}, {}, {}, {}, {}};
  given.a = [](double x, double) { return 1 + x * x; };
  given.c = [](double, double y) { return std::exp(3 * std::sin(2 * std::numbers::pi * y)); };  // contrast 400
  given.b = given.d = given.e = constant(0);
  given.eta = constant(-0.5);
  return given;
}

TEST(Pencil, IsSymmetricAndSolvedByItsVectors) {
  const Communicator self(MPI_COMM_SELF);
  for (const auto& [low, high] : {std::pair{dirichlet, dirichlet}, {neumann, dirichlet}, {robin_low, robin_high}}) {
    const Axis axis(graded_nodes(20), low, high);
    const auto c = values_at_gauss(axis, [](double t) { return 2 + std::sin(9 * t); });
    const PencilMatrices pencil = pencil_matrices(axis, c);
    double largest = 0, worst = 0;
    for (Index i = 0; i < 40; ++i)
      for (Index k = 0; k < 40; ++k) {
        largest = std::max(largest, std::abs(pencil.stiffness[i * 40 + k]));
        worst = std::max(worst, std::abs(pencil.stiffness[i * 40 + k] - pencil.stiffness[k * 40 + i]));
      }
    EXPECT_LE(worst, 1e-14 * largest);
    for (const double value : pencil_basis(axis, c, self).values) EXPECT_LE(value, 0);
  }
}

// Eigenvalues of the closed form, which come from the symbols.
TEST(Pencil, HasTheEigenvaluesOfTheClosedForm) {
  const Communicator self(MPI_COMM_SELF);
  for (const auto& end : {dirichlet, neumann}) {
    const Index n = 13;
    const Axis axis(equal_nodes(n, -1, 2), end, end);
    auto values = pencil_basis(axis, std::vector<double>(2 * n, 1.0), self).values;
    const Index width = static_cast<Index>(values.size()) / 2;
    std::vector<double> found(values.begin(), values.begin() + n), expected;
    found.insert(found.end(), values.begin() + width, values.begin() + width + n);
    const ClosedTables tables = closed_tables(axis);
    for (Index k = 0; k <= n; ++k)
      for (int s = 0; s < (k == 0 || k == n ? 1 : 2); ++s) expected.push_back(tables.value[2 * k + s]);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    for (Index i = 0; i < 2 * n; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12 * std::abs(expected.front()));
  }
}

class PencilInverse : public testing::TestWithParam<TestDevice> {};

TEST_P(PencilInverse, IsTheSolutionByDenseLu) {
  const Communicator self(MPI_COMM_SELF);
  const EndCondition ends[][4] = {{dirichlet, dirichlet, dirichlet, dirichlet},
                                  {dirichlet, neumann, neumann, dirichlet},
                                  {neumann, neumann, neumann, neumann},
                                  {robin_low, robin_high, dirichlet, neumann},
                                  {neumann, robin_high, robin_low, robin_high}};
  // Protecting memory takes its time: fewer cases where that is done.
  const bool fast = GetParam() == TestDevice::omp_1 || GetParam() == TestDevice::omp_3;
  for (const auto& four : std::span(ends).last(fast ? 5 : 1))
    for (const auto& [nx, ny] : {std::pair<Index, Index>{4, 6}, {9, 7}}) {
      const DirectCase given = pencil_case(nx, ny, four);
      const DirectReference reference(given);
      const auto f = reference.random_equations(static_cast<unsigned>(nx));
      const Layout layout(self, GetParam(), 1, nx, ny, 1);
      const auto found = solve_on(layout, reference, f, dense_inverse(given, -0.5));
      // A contrast of 400 on a graded mesh costs both sides of the comparison digits.
      EXPECT_LT(worst_difference(layout, reference, reference.solve(f), found), 1e-11) << nx << " " << ny;
    }
}

// Where test_closed_form.cpp compares the closed form: 6a = 6b = LU.
TEST_P(PencilInverse, IsTheSolutionWhereTheClosedFormIs) {
  const Communicator self(MPI_COMM_SELF);
  for (const auto& x_end : {dirichlet, neumann})
    for (const auto& y_end : {dirichlet, neumann}) {
      const DirectCase given{
          equal_nodes(8, -1, 2), equal_nodes(10, 0.5, 2), x_end,       x_end,       y_end,       y_end, constant(1.5),
          constant(0),           constant(0.7),           constant(0), constant(0), constant(-1)};
      const DirectReference reference(given);
      const auto f = reference.random_equations(1);
      const Layout layout(self, GetParam(), 1, 8, 10, 1);
      const auto found = solve_on(layout, reference, f, dense_inverse(given, -1));
      EXPECT_LT(worst_difference(layout, reference, reference.solve(f), found), 1e-12);
    }
}

TEST_P(PencilInverse, IsTheSameOnAnyParts) {
  const Communicator world(MPI_COMM_WORLD);
  const EndCondition ends[4] = {robin_low, neumann, dirichlet, robin_high};
  const DirectCase given = pencil_case(14, 11, ends);
  const DirectReference reference(given);
  const auto f = reference.random_equations(3);
  const auto u = reference.solve(f);
  for (const int each : {2, 3}) {
    const Layout layout(world, GetParam(), each, 14, 11, 1);
    EXPECT_LT(worst_difference(layout, reference, u, solve_on(layout, reference, f, dense_inverse(given, -0.5))),
              1e-12);
  }
}

// More lines and columns than one product takes.
TEST_P(PencilInverse, ReachesTheOrderOfTheDiscretization) {
  const MakeSolver make = [](const Context& context, const Formulation& problem) {
    EXPECT_EQ(pencil_method.cannot(problem, {}), std::nullopt);
    return pencil_method.make(context, problem, {});
  };
  for (const bool wide : {true, false}) {
    std::vector<double> errors;
    for (const Index n : {70, 140}) {
      auto options = manufactured(general_exact, wide ? n : n / 10, wide ? n / 10 : n, 1, 1, 0, -1);
      options.block.equation.a = formula("1 + x");
      options.block.equation.c = formula("2 + sin(y)");
      options.block.mesh.x.map = formula("t^1.2");
      errors.push_back(solve_and_compare(options, GetParam(), 1, make).u);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.4);
  }
}

TEST(PencilLimits, NameWhatTheMethodCannotDo) {
  const auto reason = [](const CollocationOptions& options) {
    return pencil_method.cannot(formulate(options), {}).value_or("");
  };
  const auto plain = manufactured(general_exact, 8, 8, 1, 1, 0, -1);
  auto options = plain;
  options.block.equation.c = formula("1 + x*y");
  EXPECT_EQ(reason(options), "needs c that does not depend on x");
  options = plain;
  options.block.equation.eta = formula("-1 - x");
  EXPECT_EQ(reason(options), "needs eta that does not depend on x");
  options = plain;
  options.block.equation.d = formula("1");
  EXPECT_EQ(reason(options), "needs d = 0");
  // Resonant: an eigenvalue of both axes at the highest frequency, -12 / h^2 each.
  options = plain;
  options.block.equation.eta = formula("2*12*64");
  options.block.solver.allow_indefinite = true;
  EXPECT_THROW(solve_and_compare(options, TestDevice::omp_1, 1,
                                 [](const Context& context, const Formulation& problem) {
                                   return pencil_method.make(context, problem, {});
                                 }),
               NumericalError);
}

// Elements from 1 to a million: rounding of the largest eigenvalues is beyond the least ones, which is no resonance
// where the operator is definite.
TEST(PencilLimits, StronglyGradedMeshesAreNoResonance) {
  auto options = manufactured("x^3*y^2 - y", 24, 20, 1, 2, 0, -2);  // which the bicubics contain
  options.block.mesh.x.map = formula("(exp(14*t)-1)/(exp(14)-1)");
  const auto make = [](const Context& context, const Formulation& problem) {
    return pencil_method.make(context, problem, {});
  };
  EXPECT_LE(solve_and_compare(options, TestDevice::omp_1, 1, make).u, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Executors, PencilInverse, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
