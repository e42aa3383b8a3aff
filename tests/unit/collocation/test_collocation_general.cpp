// The family collocation with general equations, sides and meshes, whatever the method: published errors, what `auto`
// takes, values between nodes, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/collocation/make_solver.hpp"
#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/collocation/dense_reference.hpp"
#include "tests/unit/dense_solve.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline {
namespace {

using collocation::CollocationOptions;
using collocation::Method;
using collocation::SideKind;

// Sides of an axis: d Dirichlet, n Neumann, r Robin with (2, 1) at the low end, (1, 3) at the high end.
void set_axis(CollocationOptions& options, int axis, const std::string& kinds) {
  for (int end = 0; end < 2; ++end) {
    auto& side = options.block.sides.sides[2 * axis + end];
    side.given = true;
    const char kind = kinds[end];
    side.kind = kind == 'd' ? SideKind::dirichlet : kind == 'n' ? SideKind::neumann : SideKind::robin;
    if (kind != 'r') continue;
    side.alpha = formula(end == 0 ? "2" : "1");
    side.beta = formula(end == 0 ? "1" : "3");
  }
}

// Every side in another way.
void set_varying_sides(CollocationOptions& options) {
  set_pieces(options, 0,
             {{"0.25", SideKind::dirichlet}, {"0.625", SideKind::neumann}, {"", SideKind::robin, "1+y^2", "exp(-y)"}});
  set_pieces(options, 1, {{"0.5", SideKind::robin, "2", "1"}, {"", SideKind::robin, "2+sin(3*y)", "2-y"}});
  set_pieces(options, 2, {{"", SideKind::robin, "x", "1-x"}});
  set_pieces(options, 3, {{"0.75", SideKind::neumann}, {"", SideKind::dirichlet}});
}

void set_rectangle(CollocationOptions& options) {
  options.block.mesh.x.from = -1;
  options.block.mesh.x.to = 2;
  options.block.mesh.y.from = 0.5;
  options.block.mesh.y.to = 2;
}

void grade(CollocationOptions& options) {
  options.block.mesh.x.map = formula("t + 0.15*sin(2*pi*t)/pi");
  options.block.mesh.y.map = formula("0.7*t^1.5 + 0.3*t");
}

RunResult solve(const CollocationOptions& options, const std::vector<std::array<double, 3>>& places = {}) {
  const Communicator comm(MPI_COMM_SELF);
  return run_problem(comm, {make_omp_executor(1), make_omp_executor(1)}, options, places);
}

struct Reference {
  const char* name;
  CollocationOptions options;
  double u, u_x, u_y;
};

// Errors at n = 32 with P2's equation: table of boundary conditions and meshes of docs/collocation.md, to 3 %.
TEST(CollocationGeneral, ErrorsWithAllSidesAndMeshesAreThePublishedOnes) {
  auto neumann = varying(32, 32), robin = varying(32, 32), graded = varying(32, 32), graded_mixed = varying(32, 32);
  auto rectangle = varying(32, 16), rectangle_mixed = varying(32, 16);
  set_axis(neumann, 0, "nn"), set_axis(neumann, 1, "nn");
  set_axis(robin, 0, "rr"), set_axis(robin, 1, "rr");
  set_rectangle(rectangle), set_rectangle(rectangle_mixed);
  set_axis(rectangle_mixed, 0, "dn"), set_axis(rectangle_mixed, 1, "rr");
  grade(graded), grade(graded_mixed);
  set_axis(graded_mixed, 0, "rr"), set_axis(graded_mixed, 1, "dn");
  for (const Reference& r :
       {Reference{"Neumann", neumann, 4.30e-7, 1.61e-7, 2.80e-7}, Reference{"Robin", robin, 8.63e-8, 1.55e-7, 1.73e-7},
        Reference{"rectangle", rectangle, 7.27e-6, 4.01e-5, 6.58e-5},
        Reference{"rectangle, mixed sides", rectangle_mixed, 1.39e-5, 6.86e-5, 5.70e-5},
        Reference{"graded", graded, 6.89e-8, 4.37e-7, 4.78e-7},
        Reference{"graded, mixed sides", graded_mixed, 1.61e-7, 3.06e-7, 4.08e-7}}) {
    const RunResult result = solve(r.options);
    EXPECT_TRUE(result.findings.failure.empty()) << r.name;
    EXPECT_NEAR(result["max_error.u"], r.u, 0.03 * r.u) << r.name;
    EXPECT_NEAR(result["max_error.u_x"], r.u_x, 0.03 * r.u_x) << r.name;
    EXPECT_NEAR(result["max_error.u_y"], r.u_y, 0.03 * r.u_y) << r.name;
  }
}

TEST(CollocationGeneral, SidesThatVaryKeepTheOrder) {
  std::array<RunResult, 2> found;
  for (int k = 0; k < 2; ++k) {
    auto options = varying(16 << k, 24 << k);
    set_varying_sides(options);
    found[k] = solve(options);
  }
  EXPECT_LT(found[1]["max_error.u"], 1e-7);
  EXPECT_LE(found[1]["iterations"], 8);
  for (const char* name : {"max_error.u", "rms_error.u", "rms_error.u_x", "rms_error.u_y"})
    EXPECT_NEAR(std::log2(found[0][name] / found[1][name]), 4, 0.15) << name;
}

// What solves general equations, and what a cycle is made of, gives one solution.
void expect_error_in_all_ways(CollocationOptions options, double error, double tolerance) {
  const auto expect_the_same = [&](const char* what) {
    const RunResult result = solve(options);
    EXPECT_TRUE(result.findings.failure.empty()) << what;
    EXPECT_NEAR(result["max_error.u"], error, tolerance) << what;
    const bool by_cycles = options.block.solver.method == Method::automatic;
    EXPECT_LE(result["iterations"], by_cycles ? 10 : 1000) << what;
  };
  using collocation::SmootherChoice;
  auto& solver = options.block.solver;
  solver.tolerance = 1e-11;
  for (const SmootherChoice smoother : {SmootherChoice::alt, SmootherChoice::vline, SmootherChoice::hline}) {
    solver.smoother = smoother;
    expect_the_same("smoother by lines");
  }
  solver.smoother = SmootherChoice::automatic;
  solver.precision = collocation::Precision::fp64;
  expect_the_same("fp64");
  solver.start = collocation::Start::fmg;
  expect_the_same("fmg");
  for (const Method method : {Method::schur, Method::schur_mixed}) {
    solver.method = method;
    expect_the_same("schur");
  }
}

// All that says something about u lies between the nodes of the coarsest mesh.
TEST(CollocationGeneral, WhatFixesUMayBeSmall) {
  const GivenPiece first{"5/32", SideKind::neumann}, last{"", SideKind::neumann};
  for (const std::vector<GivenPiece>& pieces :
       {std::vector<GivenPiece>{first, {"6/32", SideKind::dirichlet}, last},
        std::vector<GivenPiece>{first, {"6/32", SideKind::robin, "1", "1"}, last},
        std::vector<GivenPiece>{{"", SideKind::robin, "sin(8*pi*y)^2", "1"}}}) {
    auto options = varying(32, 32);
    options.block.equation.eta = formula("0");
    options.block.sides.sides[4].kind = SideKind::neumann;
    set_pieces(options, 0, pieces);
    options.block.solver.tolerance = 1e-12;
    options.block.solver.method = Method::schur;
    const double error = solve(options)["max_error.u"];
    options.block.solver.method = Method::mg;
    for (const auto start : {collocation::Start::zero, collocation::Start::fmg}) {
      options.block.solver.start = start;
      const RunResult result = solve(options);
      EXPECT_EQ(result.findings.failure, "");
      EXPECT_LE(result["iterations"], 25);
      EXPECT_NEAR(result["max_error.u"], error, 1e-3 * error);
    }
  }
}

TEST(CollocationGeneral, SidesThatVarySolvedInAllWays) {
  auto options = varying(16, 16);
  set_varying_sides(options);
  expect_error_in_all_ways(options, solve(options)["max_error.u"], 1e-9);
}

// Of the equation of periodic() with f = 1 + sin(2 pi x) - y: its unknowns along x, then y, of each axis (u, u') of
// nodes 0 .. n - 1 if it is periodic, else those of the nodes without u at both ends.
std::vector<double> dense_solution(const std::string& axes, const std::vector<double>& nodes_x,
                                   const std::vector<double>& nodes_y) {
  using reference::Matrix;
  const auto axis = [&](char name, const std::vector<double>& nodes, int order) {
    return axes.find(name) == std::string::npos ? reference::eliminated_axis(nodes, order)
                                                : reference::periodic_axis(nodes, order);
  };
  const std::vector<double> gx = reference::gauss_points(nodes_x), gy = reference::gauss_points(nodes_y);
  const std::size_t n = gx.size() * gy.size();
  Matrix sum(n, std::vector<double>(n, 0.0));
  std::vector<double> b(n);
  constexpr int px[6] = {2, 1, 0, 1, 0, 0}, py[6] = {0, 1, 2, 0, 1, 0};
  const double w = 2 * std::acos(-1.0);
  for (int k = 0; k < 6; ++k) {
    const Matrix term = reference::kronecker(axis('x', nodes_x, px[k]), axis('y', nodes_y, py[k]));
    for (std::size_t row = 0; row < n; ++row) {
      const double x = gx[row / gy.size()], y = gy[row % gy.size()];
      const double coefficients[6] = {2 + std::sin(w * x) * std::cos(w * y),
                                      0.8 * std::cos(w * (x - y)),
                                      1.5 + 0.5 * std::cos(w * x),
                                      5 * std::cos(w * y),
                                      -3 * std::sin(w * x),
                                      -2 - std::sin(w * (x + y))};
      for (std::size_t c = 0; c < n; ++c) sum[row][c] += coefficients[k] * term[row][c];
      b[row] = 1 + std::sin(w * x) - y;
    }
  }
  return solve_dense(sum, b);
}

// u at all nodes, those at the high ends of periodic axes included.
void expect_values(const RunResult& found, const std::vector<double>& dense, const std::string& axes, Index lines) {
  const bool by_x = axes.find('x') != std::string::npos, by_y = axes.find('y') != std::string::npos;
  Index seen = 0;
  for (const FieldBlock& block : found.output.fields.at("u")) {
    const Index nodes = block.block.extent(1), rows = 2 * (nodes - 1);
    for (Index i = block.block.lo[0]; i < block.block.hi[0]; ++i, ++seen)
      for (Index j = 0; j < nodes; ++j) {
        const double value = block.values[(i - block.block.lo[0]) * nodes + j];
        const bool given = (!by_x && (i == 0 || i + 1 == lines)) || (!by_y && (j == 0 || j + 1 == nodes));
        const Index row = by_x ? 2 * (i % (lines - 1)) : 2 * i - 1, column = by_y ? 2 * (j % (nodes - 1)) : 2 * j - 1;
        EXPECT_NEAR(value, given ? 0 : dense[row * rows + column], 1e-12) << i << " " << j;
      }
  }
  EXPECT_EQ(seen, lines);
}

// On graded meshes of few elements, against dense matrices assembled by other code. Sides that are not periodic have
// u = 0.
TEST(CollocationPeriodic, AgreesWithDenseMatrices) {
  const std::vector<double> nodes_x{0, 0.2, 0.55, 0.7, 1}, nodes_y{0, 0.1, 0.3, 0.45, 0.75, 0.9, 1};
  for (const char* axes : {"x", "y", "xy"})
    for (const Method method : {Method::mg, Method::schur}) {
      SCOPED_TRACE(axes);
      auto options = periodic(axes, 4, 6);
      options.block.mesh.x = options.block.mesh.y = {};
      options.block.mesh.x.nodes = nodes_x;
      options.block.mesh.y.nodes = nodes_y;
      options.block.equation.f = formula("1+sin(2*pi*x)-y");
      options.block.sides.sides[4].value = formula("0");
      options.block.solver.method = method;
      options.block.solver.tolerance = 1e-14;
      options.verify = {};
      const RunResult found = solve(options);
      expect_values(found, dense_solution(axes, nodes_x, nodes_y), axes, 5);
    }
}

TEST(CollocationPeriodic, KeepsTheOrder) {
  for (const char* axes : {"x", "y", "xy"}) {
    SCOPED_TRACE(axes);
    auto coarse = periodic(axes, 32, 24), fine = periodic(axes, 64, 48);
    for (auto* options : {&coarse, &fine}) options->block.mesh.x.map = formula("t + 0.1*sin(2*pi*t)/pi");
    const RunResult before = solve(coarse), after = solve(fine);
    EXPECT_LT(after["max_error.u"], 5e-6);
    EXPECT_LE(after["iterations"], 8);
    for (const char* name : {"max_error.u", "rms_error.u_x", "rms_error.u_y"})
      EXPECT_NEAR(std::log2(before[name] / after[name]), 4, 0.15) << name;
  }
}

// All smoothers with their lines that go around, conditions that vary along the sides that are left, any start.
TEST(CollocationPeriodic, SolvedInAllWays) {
  for (const char* axes : {"x", "y", "xy"}) {
    SCOPED_TRACE(axes);
    auto options = periodic(axes, 16, 16);
    set_pieces(options, *axes == 'x' ? 3 : 1,
               {{"0.25", SideKind::dirichlet}, {"", SideKind::robin, "2+sin(2*pi*(x+y))", "2"}});
    if (std::string(axes) == "xy") options = periodic(axes, 16, 16);
    const double error = solve(options)["max_error.u"];
    expect_error_in_all_ways(options, error, 1e-7 * error + 1e-9);
  }
}

// A condition times a constant is the same one: with a power of two, to the last bit.
TEST(CollocationGeneral, FactorsOfSidesMayBeExtreme) {
  const auto with = [](const std::string& factor) {
    auto options = automatic(us, 16, 16);
    const std::string alpha = factor + "*(1+y)", other = "3*" + factor;
    set_pieces(options, 0, {{"", SideKind::robin, alpha.c_str(), factor.c_str()}});
    set_pieces(options, 1,
               {{"0.5", SideKind::robin, factor.c_str(), factor.c_str()},
                {"", SideKind::robin, other.c_str(), factor.c_str()}});
    return solve(options)["max_error.u"];
  };
  const double error = with("1");
  EXPECT_LT(error, 1e-3);
  EXPECT_EQ(with("2^-700"), error);
  EXPECT_EQ(with("2^700"), error);
  EXPECT_NEAR(with("1e-200"), error, 1e-6 * error);
  EXPECT_NEAR(with("1e200"), error, 1e-6 * error);
}

// Pieces that differ in their values alone leave all methods.
TEST(CollocationGeneral, PiecesOfOneKindHaveClosedForms) {
  auto options = automatic(us, 32, 32);
  for (int side = 0; side < 4; ++side)
    set_pieces(options, side, {{"0.25", SideKind::neumann}, {"", SideKind::neumann}});
  const collocation::Formulation problem = collocation::formulate(options);
  EXPECT_STREQ(collocation::method_name(collocation::choose_method(problem, {})), "closed_form");
  const double error = solve(options)["max_error.u"];
  options.block.sides = {};
  options.block.sides.sides[4].given = true;
  options.block.sides.sides[4].kind = SideKind::neumann;
  EXPECT_NEAR(error, solve(options)["max_error.u"], 0.2 * error);
}

TEST(CollocationGeneral, GaussDataKeepTheOrderOfU) {
  std::array<double, 2> errors{};
  for (int k = 0; k < 2; ++k) {
    auto options = varying(16 << k, 16 << k);
    set_axis(options, 0, "dr"), set_axis(options, 1, "nd");
    for (auto& side : options.block.sides.sides) side.data = collocation::SideDataChoice::gauss;
    errors[k] = solve(options)["max_error.u"];
  }
  EXPECT_LT(errors[1], 1e-6);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.3);
}

// Derivatives that vanish on all sides: the sides must not spoil a solution that needs no data.
TEST(CollocationGeneral, NeumannSidesByFormulas) {
  auto options = automatic("cos(pi*x)*cos(2*pi*y)", 16, 24);
  options.block.equation.f = formula("-(1+5*pi^2)*cos(pi*x)*cos(2*pi*y)");
  auto& rest = options.block.sides.sides[4];
  rest.kind = SideKind::neumann;
  rest.value = formula("0");
  EXPECT_LT(solve(options)["max_error.u"], 2e-4);
}

// The plate with a hot lid: data jump by 1 in two corners; away from them the order stays, on elements as long as wide.
TEST(CollocationGeneral, CornersThatJumpSpoilNothingAtADistance) {
  const auto series = [](double x, double y) {
    double sum = 0;
    for (int n = 1; n < 400; n += 2) {
      const double k = n * M_PI;
      sum += std::sin(k * x) * std::exp(-k * (1 - y)) * (1 - std::exp(-2 * k * y)) / (1 - std::exp(-2 * k)) / n;
    }
    return 4 / M_PI * sum;
  };
  const std::vector<std::array<double, 3>> places{{0.25, 0.5, 0}, {0.5, 0.75, 0}, {0.3, 0.8, 0}, {0.8, 0.1, 0}};
  for (const Method method : {Method::closed_form, Method::mg}) {
    std::array<double, 2> errors{};
    for (int k = 0; k < 2; ++k) {
      auto options = automatic("0", 16 << k, 16 << k);
      options.verify.exact = {};
      options.block.equation.eta = options.block.equation.f = formula("0");
      options.block.solver.method = method;
      options.block.sides.corners = collocation::CornerChoice::mean;
      options.block.sides.sides[4].value = formula("0");
      options.block.sides.sides[3].given = true;
      options.block.sides.sides[3].value = formula("1");
      const RunResult result = solve(options, places);
      for (std::size_t n = 0; n < places.size(); ++n)
        errors[k] = std::max(errors[k], std::abs(result.output.placed.at("u")[n] - series(places[n][0], places[n][1])));
    }
    EXPECT_LT(errors[1], 1e-5);
    EXPECT_GT(std::log2(errors[0] / errors[1]), 3.5) << errors[0] << " " << errors[1];
  }
}

TEST(CollocationGeneral, KnownValuesAreCompared) {
  auto options = automatic("1 + x*y^2", 8, 8);
  options.verify.values = {{0.25, 0.5, 1.0625}, {0.33, 0.9, 1 + 0.33 * 0.81 + 1e-3}};
  EXPECT_NEAR(solve(options)["value_error"], 1e-3, 1e-10);
}

// A bicubic is reproduced everywhere, so values between nodes can be compared with the formula itself.
TEST(CollocationGeneral, ValuesAtPointsAreThoseOfTheBicubic) {
  auto options = automatic("(1 + 2*x - x^3)*(2 - y + 3*y^3) + x*y", 5, 7);
  grade(options);
  options.block.solver.tolerance = 1e-14;
  std::vector<std::array<double, 3>> places{{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}, {0.123, 0.987, 0}};
  for (int k = 0; k < 40; ++k) places.push_back({k / 39.0, std::fmod(0.618 * k, 1.0), 0});
  const RunResult result = solve(options, places);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double x = places[k][0], y = places[k][1];
    const double px = 1 + 2 * x - x * x * x, qx = 2 - 3 * x * x, py = 2 - y + 3 * y * y * y, qy = -1 + 9 * y * y;
    const double expected[4] = {px * py + x * y, qx * py + y, px * qy + x, qx * qy + 1};
    for (int f = 0; f < 4; ++f)
      EXPECT_NEAR(result.output.placed.at(collocation::field_names[f])[k], expected[f], 1e-10)
          << collocation::field_names[f] << " at " << x << ", " << y;
  }
}

std::string chosen(const CollocationOptions& options) {
  const auto problem = formulate(options);
  const auto choice = choose_method(problem, options.block.solver);
  return choice.entry == nullptr ? "none: " + choice.reason : method_name(choice);
}

TEST(CollocationAuto, TakesTheClosedFormWhereItCanAndElseMultigrid) {
  auto options = automatic(us, 32, 32);
  EXPECT_EQ(chosen(options), "closed_form");
  set_axis(options, 0, "nn");
  EXPECT_EQ(chosen(options), "closed_form");
  for (const char* kinds : {"dn", "rr"}) {
    set_axis(options, 0, kinds);
    EXPECT_EQ(chosen(options), "mg");
  }
  options = automatic(us, 32, 32);
  grade(options);
  EXPECT_EQ(chosen(options), "mg");
  EXPECT_EQ(chosen(varying(32, 32)), "mg");
}

}  // namespace
}  // namespace halocline
