// Set-up from formulas: every number against the plain evaluation of its formula, and which faults are found.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <limits>

#include "lib/base/executor.hpp"
#include "lib/problems/collocation/discretization/equations.hpp"
#include "lib/problems/collocation/formulas/coefficient_check.hpp"
#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/collocation/on_host.hpp"

namespace halocline::collocation {
namespace {

const std::array<std::string, 6> varying{"2 + sin(pi*x)*cos(pi*y)", "0.4*cos(x-y)", "1.5 + 0.5*cos(x*y)", "5*cos(y)",
                                         "-3*x + 1e-3/(2 + y)",     "-1 - exp(x*y)"};

struct Mesh {
  Axis x{random_nodes(11, 3, 1), robin_low, dirichlet};
  Axis y{random_nodes(14, 3, 2), dirichlet, neumann};
};

// A formulation on this mesh with its right-hand side replaced by a formula and nothing given on the sides.
Formulation with_f(const Mesh& mesh, const std::string& f) {
  Formulation problem = make_formulation(mesh.x, mesh.y, varying);
  static constexpr std::array<const char*, 2> xy{"x", "y"};
  const Expression expression = Scope(xy).parse(Formula{f, {"test", 1, 1}});
  problem.f = Program({&expression, 1}, 2);
  return problem;
}

template <class T>
void expect_sampled(const NodalBlock& block) {
  const Mesh mesh;
  const Formulation problem = make_formulation(mesh.x, mesh.y, varying);
  const auto executor = make_omp_executor(2);
  const Equations<T> equations(problem, mesh.x, mesh.y, block, executor, 2);
  std::vector<CoefficientColumn> columns(mesh.x.gauss().size());
  for (std::size_t g = 0; g < columns.size(); ++g)
    evaluate_coefficients(problem, mesh.x.gauss()[g], mesh.y, columns[g]);
  const double accuracy = std::is_same_v<T, double> ? 1e-14 : 1e-6;
  Index values = 0, zeros = 0;
  for (Index i = 0; i < block.lines(); ++i)
    for (int k = 0; k < coefficient_count; ++k)
      for (int c = 0; c < 4; ++c)
        for (Index place = 0; place < block.stride(); ++place) {
          const Index j = place - NodalBlock::margin;
          const Index gx = 2 * (block.first_line + i) - 1 + c % 2, gy = 2 * j - 1 + c / 2;
          const T found = equations.view().sampled[(i * 6 + k) * block.line_size() + c * block.stride() + place];
          const bool exists = gx >= 0 && gx < 2 * block.nx && gy >= 0 && gy < 2 * block.ny;
          ++(exists ? values : zeros);
          ASSERT_NEAR(found, exists ? columns[gx][k][gy] : 0, exists ? accuracy : 0) << i << k << c << j;
        }
  EXPECT_EQ(values + zeros, 6 * block.size());
  EXPECT_GT(zeros, 0);
}

TEST(CollocationSetUp, CoefficientsStandAtTheirPlacesAmongZeros) {
  mallopt(M_PERTURB, 0x5a);  // memory that nobody fills is not zero
  for (const NodalBlock& block :
       {NodalBlock{0, 12, 11, 14}, NodalBlock{0, 3, 11, 14}, NodalBlock{4, 5, 11, 14}, NodalBlock{7, 12, 11, 14}}) {
    expect_sampled<double>(block);
    expect_sampled<float>(block);
  }
  mallopt(M_PERTURB, 0);
}

TEST(CollocationSetUp, RightHandSidesAreThoseOfTheFormula) {
  const Mesh mesh;
  const Formulation problem = with_f(mesh, "exp(x*y)*sin(3*x) + y - cos(x+y)");
  for (const NodalBlock& block : {NodalBlock{0, 12, 11, 14}, NodalBlock{3, 6, 11, 14}}) {
    std::optional<GaussPoint> bad;
    const auto b = right_hand_side_on_host(make_omp_executor(2), problem, block, bad);
    ASSERT_FALSE(bad);
    for (Index i = 0; i < block.lines(); ++i)
      for (Index j = 0; j <= block.ny; ++j)
        for (int c = 0; c < 4; ++c) {
          const Index gx = 2 * (block.first_line + i) - 1 + c % 2, gy = 2 * j - 1 + c / 2;
          if (gx < 0 || gx >= 2 * block.nx || gy < 0 || gy >= 2 * block.ny) continue;
          const double x = mesh.x.gauss()[gx], y = mesh.y.gauss()[gy];
          ASSERT_NEAR(b[i * block.line_size() + block.place(c, j)],
                      std::exp(x * y) * std::sin(3 * x) + y - std::cos(x + y), 1e-14);
        }
  }
}

// Of many points where f is not finite the first is named: lowest in x, then in y.
TEST(CollocationSetUp, TheFirstPointWhereFIsNotFiniteIsNamed) {
  const Mesh mesh;
  GaussPoint first{};
  for (const double x : mesh.x.gauss())
    for (const double y : mesh.y.gauss())
      if (first.x == 0 && !((x - 0.25) * (0.6 - y) > 0)) first = {x, y};
  ASSERT_GT(first.x, 0);
  const NodalBlock block{0, 12, 11, 14};
  // No number, and infinite.
  for (const char* f : {"log((x - 0.25)*(0.6 - y))", "1/step((x - 0.25)*(0.6 - y))"}) {
    const Formulation problem = with_f(mesh, f);
    for (const int threads : {1, 2, 4})
      for (int pass = 0; pass < 10; ++pass) {
        std::optional<GaussPoint> bad;
        right_hand_side_on_host(make_omp_executor(threads), problem, block, bad);
        ASSERT_TRUE(bad);
        EXPECT_EQ(bad->x, first.x);
        EXPECT_EQ(bad->y, first.y);
      }
  }
}

TEST(CollocationSetUp, TheFirstBadCoefficientIsNamed) {
  const Mesh mesh;
  auto coefficients = varying;
  coefficients[3] = "1/step((0.7 - x)*(y - 0.2))";
  const Formulation problem = make_formulation(mesh.x, mesh.y, coefficients);
  double first_y = 0, first_x = mesh.x.gauss()[0];
  for (const double y : mesh.y.gauss())
    if (y < 0.2 && first_y == 0) first_y = y;
  for (const int threads : {1, 3}) {
    const auto fault = check_coefficients(make_omp_executor(1), problem, {0, 12, 11, 14}, false, threads);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->coefficient, 3);
    EXPECT_EQ(fault->x, first_x);
    EXPECT_EQ(fault->y, first_y);
    const auto behind = check_coefficients(make_omp_executor(1), problem, {9, 12, 11, 14}, false, threads);
    ASSERT_TRUE(behind);
    EXPECT_GE(behind->x, mesh.x.nodes()[8]);
  }
}

// One bad value at any point of a column, of any kind.
TEST(CollocationSetUp, EveryConditionOnCoefficientsIsCheckedAtEveryPoint) {
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
