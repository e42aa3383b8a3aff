// The fitted preconditioner: its terms where they are known, and BiCGSTAB's iterations on the verification problems.
#include <cmath>

#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/separable/fitted.hpp"
#include "tests/unit/collocation/direct/inverse_cases.hpp"
#include "tests/unit/collocation/direct/solver_cases.hpp"

namespace halocline::collocation {
namespace {

CollocationOptions problem(Index n, const char* a, const char* b, const char* c, const char* d, const char* e,
                           const char* eta) {
  auto options = manufactured(general_exact, n, n, 1, 1, 0, -1);
  auto& equation = options.block.equation;
  equation.a = formula(a);
  equation.b = formula(b);
  equation.c = formula(c);
  equation.d = formula(d);
  equation.e = formula(e);
  equation.eta = formula(eta);
  options.block.solver.tolerance = 1e-12;
  options.block.solver.max_iterations = 100;
  return options;
}

CollocationOptions p2(Index n) {
  return problem(n, "2 + sin(pi*x)*cos(pi*y)", "0.4*cos(x - y)", "1.5 + 0.5*cos(x*y)", "5*cos(y)", "-3*x",
                 "-(1 + x^2 + y^2)");
}

CollocationOptions p3(Index n) {
  const char* k = "exp(3.45*sin(2*pi*x)*sin(2*pi*y))";
  return problem(n, k, "0", k, "3.45*2*pi*cos(2*pi*x)*sin(2*pi*y)*exp(3.45*sin(2*pi*x)*sin(2*pi*y))",
                 "3.45*2*pi*sin(2*pi*x)*cos(2*pi*y)*exp(3.45*sin(2*pi*x)*sin(2*pi*y))", "0");
}

NodeErrors solve(const CollocationOptions& options, TestDevice device = TestDevice::omp_3, int devices = 1) {
  return solve_and_compare(options, device, devices, [&](const Context& context, const Formulation& made) {
    EXPECT_EQ(fitted_method.cannot(made, options.block.solver), std::nullopt);
    return fitted_method.make(context, made, options.block.solver);
  });
}

void expect_row(const CollocationOptions& options, int iterations, int slack, double error) {
  const NodeErrors found = solve(options);
  EXPECT_NEAR(found.iterations, iterations, slack);
  EXPECT_NEAR(found.u, error, 0.03 * error);
}

// The table of the method's section 12, column 8b, and its errors at ns = 64.
TEST(Fitted, NeedsTheIterationsOfTheTable) {
  auto p1 = thesis(64);
  p1.block.solver.tolerance = 1e-12;
  expect_row(p1, 1, 0, 2.04e-6);
  expect_row(p2(64), 11, 1, 2.47e-9);
  expect_row(p3(64), 23, 2, 9.88e-9);
  expect_row(problem(64, "1", "0", "0.01", "0", "0", "-1"), 1, 1, 2.79e-9);
  expect_row(problem(64, "exp(2.3*sin(2*pi*x)*sin(2*pi*y))", "0", "1", "0", "0", "-1"), 17, 2, 1.38e-9);
  expect_row(problem(64, "1", "0", "1", "20*cos(pi*y)", "-20*x", "0"), 27, 2, 7.40e-9);
  expect_row(problem(64, "0.75 + 0.1*0.25", "0.9*sqrt(0.75)*0.5", "0.25 + 0.1*0.75", "0", "0", "0"), 19, 2, 3.42e-9);
}

TEST(Fitted, DoesNotNeedMoreOnAFinerMesh) { expect_row(p3(128), 24, 2, 6.17e-10); }

TEST(Fitted, TakesNeumannSides) {
  for (const Index n : {32, 64}) {
    auto options = p2(n);
    options.block.sides.sides[4].kind = SideKind::neumann;
    expect_row(options, n == 32 ? 12 : 11, 1, n == 32 ? 4.30e-7 : 4.30e-7 / 16);
  }
}

class FittedParts : public testing::TestWithParam<TestDevice> {};

TEST_P(FittedParts, SolveLikeOne) {
  const NodeErrors one = solve(p2(16));
  EXPECT_NEAR(one.u, 6.33e-7, 0.01 * 6.33e-7);
  for (const int devices : {1, 3}) {
    const NodeErrors found = solve(p2(16), GetParam(), devices);
    EXPECT_EQ(found.iterations, one.iterations);
    EXPECT_NEAR(found.u, one.u, 1e-11);
  }
}

// a and c that are separable up to a common factor are fitted exactly: one iteration, whatever their contrast.
TEST_P(FittedParts, InvertSeparableEquationsWithAnyRowScale) {
  const auto options = problem(16, "exp(x*y)*(1 + 9*x)", "0", "exp(x*y)*exp(3*y)", "0", "0", "0");
  EXPECT_EQ(solve(options, GetParam(), 2).iterations, 1);
}

INSTANTIATE_TEST_SUITE_P(Executors, FittedParts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
