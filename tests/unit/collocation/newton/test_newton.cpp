// Equations that are not linear in u through the family: order, known solutions, what is refused and what fails.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>

#include "lib/problems/collocation/make_solver.hpp"
#include "tests/unit/collocation/newton/newton_cases.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline {
namespace {

using collocation::CollocationOptions;
using collocation::Method;

RunResult solve(const CollocationOptions& options, const std::vector<std::array<double, 3>>& places = {}) {
  return run_problem(Communicator(MPI_COMM_SELF), {make_omp_executor(1), make_omp_executor(1)}, options, places);
}

void expect_order_four(const RunResult& coarse, const RunResult& fine, double spread = 0.35) {
  EXPECT_TRUE(fine.findings.failure.empty()) << fine.findings.failure;
  for (const char* name : {"max_error.u", "max_error.u_x", "max_error.u_y"})
    EXPECT_NEAR(std::log2(coarse[name] / fine[name]), 4, spread) << name << " " << coarse[name] << " " << fine[name];
}

TEST(Newton, SourcesThatDependOnUAndItsDerivativesKeepTheOrder) {
  const RunResult fine = solve(general(32, 32));
  expect_order_four(solve(general(16, 16)), fine);
  EXPECT_LT(fine["max_error.u"], 1e-6);
  EXPECT_LE(fine["newton_steps"], 8);
}

TEST(Newton, ConductivitiesThatDependOnTheSolutionKeepTheOrder) {
  const RunResult fine = solve(scherk(32));
  expect_order_four(solve(scherk(16)), fine, 0.6);  // 3.5, 3.9 on finer meshes
  auto porous = general(16, 16), finer = general(32, 32);
  for (auto* options : {&porous, &finer}) {
    auto& equation = options->block.equation;
    equation.a = equation.b = equation.c = {};
    equation.k = formula("1 + x + u^2");
  }
  expect_order_four(solve(porous), solve(finer));
}

TEST(Newton, SidesThatVaryKeepTheOrder) {
  using collocation::SideKind;
  std::array<RunResult, 2> found;
  for (int k = 0; k < 2; ++k) {
    auto options = general(16 << k, 16 << k);
    set_pieces(options, 0, {{"0.25", SideKind::dirichlet}, {"", SideKind::robin, "1+y^2", "exp(-y)"}});
    set_pieces(options, 1, {{"", SideKind::robin, "1", "1+y"}});
    found[k] = solve(options);
  }
  EXPECT_LE(found[1]["newton_steps"], 8);
  for (const char* name : {"rms_error.u", "rms_error.u_x", "rms_error.u_y"})
    EXPECT_NEAR(std::log2(found[0][name] / found[1][name]), 4, 0.35) << name;
}

// With f derived from the exact solution an error in k would cancel: here f is written out.
TEST(Newton, PeriodicSidesKeepTheOrder) {
  for (const char* axes : {"x", "y", "xy"}) {
    auto coarse = periodic(axes, 16, 16), fine = periodic(axes, 32, 32);
    for (auto* options : {&coarse, &fine}) {
      auto& equation = options->block.equation;
      equation.a = equation.b = equation.c = {};
      equation.k = formula("2 + sin(2*pi*x) + u^2");
      equation.source = formula("u^3");
    }
    SCOPED_TRACE(axes);
    expect_order_four(solve(coarse), solve(fine));
  }
}

TEST(Newton, DivergenceOfAConductivityTimesTheGradient) {
  auto options = general(24, 24);
  auto& equation = options.block.equation;
  equation = {};
  equation.k = formula("(1 + x*y)*(1 + u)");  // u = x^2 + y: div = k lap u + k_x u_x + k_y u_y with whole derivatives
  equation.f =
      formula("2*(1 + x*y)*(1 + x^2 + y) + (y*(1 + x^2 + y) + (1 + x*y)*2*x)*2*x + (x*(1 + x^2 + y) + (1 + x*y))");
  options.verify.exact = formula("x^2 + y");
  options.block.sides.sides[1] = {};
  options.block.sides.sides[4].value = options.verify.exact;
  EXPECT_LT(solve(options)["max_error.u"], 1e-11);
  equation.k = formula("1 + x*y");
  equation.f = formula("2*(1 + x*y) + 2*x*y + x");
  const RunResult linear = solve(options);
  EXPECT_LT(linear["max_error.u"], 1e-11);
  EXPECT_THROW(linear["newton_steps"], InternalError);
}

// tests/data/bratu.csv, by another method. At the turning point the derivative of u by lambda is infinite, and so an
// error of the discretization grows.
TEST(Newton, BratuUpToTheTurningPoint) {
  std::ifstream file(HALOCLINE_TEST_DATA "/bratu.csv");
  std::string row;
  ASSERT_TRUE(std::getline(file, row));
  std::map<double, std::vector<std::array<double, 3>>> known;  // x, y, u by lambda
  while (std::getline(file, row)) {
    double lambda = 0;
    std::array<double, 3> v{};
    ASSERT_EQ(std::sscanf(row.c_str(), "%lf,%lf,%lf,%lf", &lambda, &v[0], &v[1], &v[2]), 4) << row;
    known[lambda].push_back(v);
  }
  EXPECT_EQ(known.size(), 4U);
  for (const auto& [lambda, values] : known) {
    const RunResult result = solve(bratu(std::to_string(lambda), 32), values);
    EXPECT_TRUE(result.findings.failure.empty()) << result.findings.failure;
    for (std::size_t n = 0; n < values.size(); ++n)
      EXPECT_NEAR(result.output.placed.at("u")[n], values[n][2], lambda > 6.8 ? 2e-5 : 2e-6) << lambda << " " << n;
  }
}

TEST(Newton, MethodsGiveTheSameSolution) {
  auto options = general(24, 24);
  const RunResult by_mg = solve(options);
  for (const auto& [method, smoother] : {std::pair(Method::fd, collocation::SmootherChoice::automatic),
                                         std::pair(Method::mg, collocation::SmootherChoice::alt),
                                         std::pair(Method::mg, collocation::SmootherChoice::vline)}) {
    options.block.solver.method = method;
    options.block.solver.smoother = smoother;
    const RunResult other = solve(options);
    EXPECT_TRUE(other.findings.failure.empty()) << other.findings.failure;
    for (const char* name : {"max_error.u", "max_error.u_x"}) EXPECT_NEAR(other[name], by_mg[name], 1e-9) << name;
  }
}

// Levels that get new coefficients stay as good a preconditioner as those made for them: close to the turning point the
// coefficient of u has changed from 6.8 to 27 in the middle.
TEST(Newton, LinearSolvesStayShort) {
  const RunResult result = solve(bratu("6.808", 64));
  const auto& iterations = result.output.all_series.at("newton_iterations");
  ASSERT_GE(iterations.size(), 5U);
  for (const double count : iterations) EXPECT_LE(count, 10);
}

TEST(Newton, BeyondTheTurningPointItFailsWithAdvice) {
  const RunResult result = solve(bratu("6.9", 16));
  EXPECT_NE(result.findings.failure.find("Newton's method"), std::string::npos) << result.findings.failure;
  EXPECT_NE(result.findings.failure.find("turning point"), std::string::npos) << result.findings.failure;
}

TEST(Newton, TheStartChoosesTheBranch) {
  auto options = bratu("6", 32);
  options.block.newton.given = true;
  options.block.newton.start = formula("2.5*sin(pi*x)*sin(pi*y)");
  const RunResult upper = solve(options, {{0.5, 0.5, 0}});
  EXPECT_TRUE(upper.findings.failure.empty()) << upper.findings.failure;
  EXPECT_GT(upper.output.placed.at("u")[0], 2);  // 0.797 on the lower branch
}

TEST(Newton, DampingReachesWhatWholeStepsMiss) {
  auto options = general(16, 16);
  auto& equation = options.block.equation;
  equation.source = formula("2000*atan(20*(u - 1))");
  const RunResult damped = solve(options);
  EXPECT_TRUE(damped.findings.failure.empty()) << damped.findings.failure;
  const auto& shares = damped.output.all_series.at("newton_damping");
  EXPECT_LT(*std::min_element(shares.begin(), shares.end()), 1);
}

struct ListedFaults final : Faults {
  void at(std::string_view path, const std::string& message) override {
    text += std::string(path) + ": " + message + "\n";
  }
  void at(const Place& place, const std::string& message) override { text += to_string(place) + ": " + message + "\n"; }
  std::string text;
};

void expect_fault(const CollocationOptions& options, const char* fragment) {
  ListedFaults faults;
  collocation_family().plan(options, Shape{}, faults);
  EXPECT_NE(faults.text.find(fragment), std::string::npos) << faults.text;
}

TEST(Newton, FaultsOfDecks) {
  auto options = general(16, 16);
  options.block.equation.source = formula("x^2");
  expect_fault(options, "equation.source: does not depend on u");
  options = general(16, 16);
  options.block.equation.k = formula("1 + u^2");
  expect_fault(options, "equation.a: stands in k");
  options = general(16, 16);
  options.block.equation.a = {};
  expect_fault(options, "equation.a: missing; required unless k is given");
  options = general(16, 16);
  options.block.solver.method = Method::closed_form;
  expect_fault(options, "closed_form: needs an equation that is linear in u");
  options = general(16, 16);
  options.block.names.constants.emplace_back("u", formula("3"));
  expect_fault(options, "u");
  options = general(16, 16);
  options.block.equation.source = {};
  options.block.newton.given = true;
  expect_fault(options, "collocation.newton: belongs to an equation whose k or source depends on u");
  options = scherk(16);
  options.block.equation.k = formula("x + u");
  expect_fault(options, "equation.k: a c - b^2 must be positive");
}

}  // namespace
}  // namespace halocline
