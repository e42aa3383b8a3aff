// The family collocation as a whole: published errors and iteration counts, exactness, order, faults.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline {
namespace {

RunResult solve(const collocation::CollocationOptions& options) {
  const Communicator comm(MPI_COMM_SELF);
  return run_problem(comm, {make_omp_executor(2)}, options);
}

struct Published {
  Index ns;
  double u, u_x, u_xy;
  int iterations;
};

// Discretization errors to three digits and iterations to 8 %: table P1 of docs/collocation.md.
TEST(Collocation, ThesisProblemHasThePublishedErrorsAndIterations) {
  for (const Published& p :
       {Published{16, 6.08e-4, 2.38e-3, 1.14e-1, 20}, Published{32, 3.36e-5, 1.63e-4, 6.88e-3, 35},
        Published{64, 2.04e-6, 1.02e-5, 4.47e-4, 71}, Published{128, 1.26e-7, 6.41e-7, 3.02e-5, 142}}) {
    const RunResult r = solve(thesis(p.ns));
    EXPECT_TRUE(r.findings.failure.empty());
    EXPECT_NEAR(r["iterations"], p.iterations, 0.08 * p.iterations) << p.ns;
    EXPECT_NEAR(r["max_error.u"], p.u, 0.005 * p.u) << p.ns;
    EXPECT_NEAR(r["max_error.u_x"], p.u_x, 0.005 * p.u_x) << p.ns;
    EXPECT_NEAR(r["max_error.u_y"], p.u_x, 0.005 * p.u_x) << p.ns;
    EXPECT_NEAR(r["max_error.u_xy"], p.u_xy, 0.005 * p.u_xy) << p.ns;
    EXPECT_LT(r["residual"], 1e-8);
    EXPECT_EQ(r.output.all_series.at("residual_history").size(), static_cast<std::size_t>(r["iterations"]) + 1);
  }
}

// A bicubic lies in the space of splines, so collocation gives it exactly, side values and all.
TEST(Collocation, BicubicSolutionsAreExact) {
  for (const Index nx : {2, 3, 8, 19}) {
    auto options = manufactured("(1 + 2*x - x^3)*(2 - y + 3*y^3) + x*y", nx, 7, 2, 0.5, 1.5, -3);
    options.block.mesh.y.map = formula("0.6*t^2 + 0.4*t");
    options.block.mesh.x.from = -1;
    options.block.solver.tolerance = 1e-14;
    const RunResult r = solve(options);
    for (const char* name : {"max_error.u", "max_error.u_x", "max_error.u_y", "max_error.u_xy"})
      EXPECT_LT(r[name], 2e-11) << name << " nx = " << nx;
  }
}

TEST(Collocation, OrderIsFourOnAGradedRectangle) {
  double previous = 0;
  for (const Index n : {16, 32, 64}) {
    auto options = manufactured("sin(2*x+1)*cos(3*y) + exp(x*y/2)", n, n, 1, 2, 1, -1);
    options.block.mesh.x.to = 2;
    options.block.mesh.y.map = formula("0.7*t^1.5 + 0.3*t");
    options.block.solver.tolerance = 1e-13;
    const RunResult r = solve(options);
    for (const char* name : {"max_error.u", "max_error.u_x", "max_error.u_y"}) EXPECT_LT(r[name], 1e-2) << name;
    if (previous > 0) {
      EXPECT_NEAR(std::log2(previous / r["max_error.u"]), 4, 0.2);
    }
    previous = r["max_error.u"];
  }
}

// Overall sign, and swapped axes: the same solution.
TEST(Collocation, NegatedEquationsHaveTheSameSolution) {
  const auto plus = manufactured("sin(2*x+1)*cos(3*y)", 16, 16, 1, 2, 0, -1);
  const auto minus = manufactured("sin(2*x+1)*cos(3*y)", 16, 16, -1, -2, 0, 1);
  EXPECT_EQ(solve(plus)["max_error.u"], solve(minus)["max_error.u"]);
}

// Elimination without pivoting is stable in one direction only: the mirror image of a problem is as accurate.
TEST(Collocation, ConvectionAlongYIsAsAccurateUpAsDown) {
  for (const double e : {60.0, -60.0}) {
    auto options = manufactured(e > 0 ? "sin(3*x/4000)*exp(-2*y)" : "sin(3*x/4000)*exp(-2*(1-y))", 10, 30, 1, 1, e, 0);
    options.block.mesh.x.to = 10000;
    options.block.solver.tolerance = 1e-14;
    const RunResult r = solve(options);
    EXPECT_TRUE(r.findings.failure.empty());
    EXPECT_LT(r["residual"], 1e-10) << e;
  }
}

// Data whose squares are no numbers any more.
TEST(Collocation, VerySmallAndVeryLargeDataAreSolved) {
  const double plain = solve(manufactured("exp(x)*cos(2*y)", 8, 8, 1, 1, 0, -1))["max_error.u"];
  for (const char* factor : {"1e-200", "1e200"}) {
    const RunResult r = solve(manufactured(std::string(factor) + "*exp(x)*cos(2*y)", 8, 8, 1, 1, 0, -1));
    EXPECT_NEAR(r["max_error.u"] / std::stod(factor), plain, 1e-3 * plain) << factor;
  }
}

TEST(Collocation, MapsMayUseConstants) {
  auto options = manufactured("x*y", 4, 4, 1, 1, 0, -1);
  options.block.names.constants = {{"k", formula("2")}};
  options.block.names.definitions = {formula("g = sin(x)")};
  options.block.mesh.y.map = formula("(exp(k*t)-1)/(exp(k)-1)");
  options.block.solver.tolerance = 1e-14;
  EXPECT_LT(solve(options)["max_error.u"], 1e-14);
}

TEST(Collocation, GivenSlopesReplaceInterpolatedOnes) {
  auto options = manufactured("exp(x)*cos(y)", 8, 8, 1, 1, 0, -1);
  options.block.equation.f = formula("-exp(x)*cos(y)");
  options.block.sides.sides[4].value = formula("exp(x)*cos(y)");
  const double interpolated = solve(options)["max_error.u_xy"];
  for (int side = 0; side < 4; ++side) {
    options.block.sides.sides[side].given = true;
    options.block.sides.sides[side].value = formula("exp(x)*cos(y)");
    options.block.sides.sides[side].slope = formula(side < 2 ? "-exp(x)*sin(y)" : "exp(x)*cos(y)");
  }
  const double exact = solve(options)["max_error.u_xy"];
  EXPECT_LT(exact, 1e-4);
  EXPECT_NE(exact, interpolated);
}

TEST(Collocation, StopsUnconvergedAtTheLimitAndSaysSo) {
  auto options = thesis(32);
  options.block.solver.max_iterations = 5;
  const RunResult r = solve(options);
  EXPECT_NE(r.findings.failure.find("did not converge"), std::string::npos);
  EXPECT_EQ(r["iterations"], 5);
}

TEST(Collocation, RefusesARightHandSideThatIsNotFinite) {
  auto options = manufactured("x", 8, 8, 1, 1, 0, -1);
  options.block.equation.f = formula("log(x - 0.5)");
  options.block.sides.sides[4].value = formula("0");
  try {
    solve(options);
    FAIL();
  } catch (const DeckError& error) {
    EXPECT_NE(std::string(error.what()).find("is not finite at x ="), std::string::npos) << error.what();
  }
}

// Faults that concern several keys.
struct ListedFaults final : Faults {
  void at(std::string_view path, const std::string& message) override {
    list.push_back(std::string(path) + ": " + message);
  }
  void at(const Place& place, const std::string& message) override {
    list.push_back(to_string(place) + ": " + message);
  }
  std::vector<std::string> list;
};

std::string first_fault(const collocation::CollocationOptions& options, int parts = 1) {
  ListedFaults faults;
  Shape shape;
  shape.weights.assign(static_cast<std::size_t>(parts), 1.0);
  collocation_family().plan(options, shape, faults);
  return faults.list.empty() ? "" : faults.list.front();
}

TEST(CollocationPlan, AcceptsWhatCanBeSolved) {
  EXPECT_EQ(first_fault(thesis(16)), "");
  EXPECT_EQ(first_fault(thesis(16), 8), "");
  ListedFaults faults;
  EXPECT_EQ(collocation_family().plan(thesis(16), Shape{}, faults).unknowns, 4 * 16 * 16);
}

void expect_fault(collocation::CollocationOptions options, const std::string& fragment, int parts = 1) {
  const std::string fault = first_fault(options, parts);
  EXPECT_NE(fault.find(fragment), std::string::npos) << "expected '" << fragment << "', got '" << fault << "'";
}

TEST(CollocationPlan, RefusesEquationsAndMeshesThatCannotBeSolved) {
  const auto good = thesis(16);
  auto o = good;
  o.block.equation.c = formula("-1");
  expect_fault(o, "a c - b^2 must be positive");
  o = good;
  o.block.equation.eta = formula("1");
  expect_fault(o, "allow_indefinite");
  o = good;
  o.block.mesh.y.map = formula("t - 2*t^2 + 2*t^3 - 0.5*sin(6.5*t)");
  expect_fault(o, "mesh.y.map");
  o.block.mesh.y.map = formula("t + x - x");
  expect_fault(o, "'x'");
  o = good;
  o.block.mesh.y.to = -1;
  expect_fault(o, "mesh.y.to: must be greater");
  o = good;
  o.block.mesh.x.elements = 0;
  expect_fault(o, "neither `elements`");
  o = good;
  o.block.mesh.x = {};
  o.block.mesh.x.nodes = {0, 1};
  expect_fault(o, "fewer than 3 nodes");
  o.block.mesh.x.nodes = {0, 1, 0.5};
  expect_fault(o, "do not increase");
}

TEST(CollocationPlan, RefusesSidesAndLimitsThatContradict) {
  const auto good = thesis(16);
  auto o = good;
  o.block.sides.sides[4].given = false;
  expect_fault(o, "neither x_min nor rest");
  o = good;
  o.block.sides.sides[4].value = formula("0");
  expect_fault(o, "leave them out");
  o = good;
  o.verify.exact = {};
  expect_fault(o, "manufactured needs the exact solution");
  o = good;
  o.verify.iterations = {3};
  expect_fault(o, "verify.iterations");
  o = good;
  o.block.equation.f = formula("0");
  expect_fault(o, "lacks `value`");
  o.block.sides.sides[4].value = formula("0");
  o.block.sides.sides[0].given = true;
  o.block.sides.sides[0].value = formula("1");
  expect_fault(o, "in the corner they share");
  o.block.sides.sides[0].value = formula("1/(y-0.5)");
  expect_fault(o, "is not finite at 0.5");
  expect_fault(thesis(8), "at most 4 parts", 5);
}

TEST(CollocationPlan, RefiningKeepsTheMeshNested) {
  auto options = manufactured("x", 4, 4, 1, 1, 0, -1);
  options.block.mesh.y = {};
  options.block.mesh.y.nodes = {0, 0.5, 2};
  options.refine(2);
  EXPECT_EQ(options.block.mesh.x.elements, 8);
  const auto nodes = options.block.mesh.y.coordinates("", {}, nullptr);
  EXPECT_EQ(nodes, (std::vector<double>{0, 0.25, 0.5, 1.25, 2}));
}

}  // namespace
}  // namespace halocline
