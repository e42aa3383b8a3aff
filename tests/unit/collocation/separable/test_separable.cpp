// Banded systems across strips of lines against dense LU, on any parts, with closed and dense eigenvectors along y.
#include <cmath>
#include <numbers>

#include "lib/problems/collocation/direct/pencil_basis.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/separable/separable.hpp"
#include "tests/unit/collocation/direct/inverse_cases.hpp"
#include "tests/unit/collocation/direct/solver_cases.hpp"

namespace halocline::collocation {
namespace {

const EndCondition dirichlet{1, 0}, neumann{0, 1}, robin_low{2, 1}, robin_high{1, 3};

MakeInverse strip_inverse(const DirectCase& given) {
  return [given](const Layout& layout) {
    const Axis x = given.axis_x(), y = given.axis_y();
    AxisOperator terms;
    std::vector<double> c;
    for (const double t : x.gauss()) {
      terms.a.push_back(given.a(t, 0));
      terms.d.push_back(given.d(t, 0));
      terms.eta.push_back(given.eta(t, 0));
    }
    for (const double t : y.gauss()) c.push_back(given.c(0, t));
    return make_separable_inverse(layout.comm, layout.team, layout.blocks, x, y, terms, c);
  };
}

// Graded along x; along y too, unless `closed`.
DirectCase strip_case(Index nx, Index ny, const EndCondition& low, const EndCondition& high, bool closed) {
  DirectCase given{graded_nodes(nx),
                   closed ? equal_nodes(ny) : graded_nodes(ny),
                   low,
                   high,
                   dirichlet,
                   closed ? dirichlet : robin_high,
                   {},
                   {},
                   {},
                   {},
                   {},
                   {}};
  given.a = [](double x, double) { return std::exp(2 * std::sin(2 * std::numbers::pi * x)); };
  given.d = [](double x, double) { return 5 * std::cos(x); };
  given.eta = [](double x, double) { return -1 - x * x; };
  given.c = closed ? constant(0.6) : [](double, double y) { return 1 + y; };
  given.b = given.e = constant(0);
  return given;
}

class Separable : public testing::TestWithParam<TestDevice> {};

TEST_P(Separable, IsTheSolutionByDenseLuOnAnyParts) {
  const Communicator self(MPI_COMM_SELF);
  const std::vector<std::pair<EndCondition, EndCondition>> ends{
      {robin_low, robin_high}, {dirichlet, dirichlet}, {neumann, dirichlet}};
  const std::vector<std::pair<Index, Index>> sizes{{30, 4}, {5, 4}, {2, 5}, {63, 3}};
  // Protecting memory takes its time: fewer cases where that is done.
  const bool fast = GetParam() == TestDevice::omp_1 || GetParam() == TestDevice::omp_3;
  for (const bool closed : {false, true})
    for (const auto& pair : std::span(ends).first(fast ? 3 : 1))
      for (const auto& [nx, ny] : std::span(sizes).first(fast ? 4 : 2)) {
        const DirectCase given = strip_case(nx, ny, pair.first, pair.second, closed);
        const DirectReference reference(given);
        const auto f = reference.random_equations(static_cast<unsigned>(nx));
        const auto u = reference.solve(f);
        std::vector<double> whole;
        for (const int parts : {1, 4, 7, 16}) {  // the last ones send in two stages
          const Index length = strip_length(nx);
          if ((nx + 1) / length < parts) continue;
          const Layout layout(self, GetParam(), parts, nx, ny, length);
          const auto found = solve_on(layout, reference, f, strip_inverse(given));
          EXPECT_LT(worst_difference(layout, reference, u, found), 1e-11) << nx << " " << parts;
          if (parts == 1) whole = found[0];
          // Products of cuBLAS may round in another way where a part has other lines.
          for (int p = 0; (closed || GetParam() != TestDevice::cuda) && p < parts; ++p) {
            const NodalBlock& block = layout.blocks[p];
            for (std::size_t i = 0; i < found[p].size(); ++i)
              ASSERT_EQ(found[p][i], whole[block.first_line * block.line_size() + i]) << p << " " << i;
          }
        }
      }
}

TEST_P(Separable, SizesOfCoefficientsDoNotMatter) {
  const Communicator self(MPI_COMM_SELF);
  for (const double size : {1e-24, 1e12, 1e24}) {
    DirectCase given = strip_case(12, 9, robin_low, dirichlet, true);
    given.c = constant(0.6 * size);
    given.a = [size](double x, double) { return size * (1 + x); };
    given.d = given.eta = [size](double x, double) { return -size * x; };
    const DirectReference reference(given);
    const auto f = reference.random_equations(3);
    const Layout layout(self, GetParam(), 1, 12, 9, strip_length(12));
    EXPECT_LT(
        worst_difference(layout, reference, reference.solve(f), solve_on(layout, reference, f, strip_inverse(given))),
        1e-11)
        << size;
  }
}

TEST_P(Separable, WorksOnRanks) {
  const Communicator world(MPI_COMM_WORLD);
  const DirectCase given = strip_case(40, 3, robin_low, neumann, true);
  const DirectReference reference(given);
  const auto f = reference.random_equations(5);
  for (const int each : {1, 2}) {
    const Layout layout(world, GetParam(), each, 40, 3, strip_length(40));
    const auto found = solve_on(layout, reference, f, strip_inverse(given));
    EXPECT_LT(worst_difference(layout, reference, reference.solve(f), found), 1e-11);
  }
}

TEST_P(Separable, ReachesTheOrderOfTheDiscretization) {
  const MakeSolver make = [](const Context& context, const Formulation& problem) {
    EXPECT_EQ(separable_method.cannot(problem, {}), std::nullopt);
    return separable_method.make(context, problem, {});
  };
  std::vector<double> errors;
  for (const Index n : {48, 96}) {
    auto options = manufactured(general_exact, n, n / 8, 1, 1, 0, -1);
    options.block.equation.a = formula("1 + x");
    options.block.equation.d = formula("3*x");
    options.block.equation.eta = formula("-x");
    options.block.equation.c = formula("2 + sin(y)");
    errors.push_back(solve_and_compare(options, GetParam(), 3, make).u);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.4);
}

TEST(SeparableLimits, NameWhatTheMethodCannotDo) {
  const auto reason = [](const CollocationOptions& options) {
    return separable_method.cannot(formulate(options), {}).value_or("");
  };
  const auto plain = manufactured(general_exact, 8, 8, 1, 1, 0, -1);
  auto options = plain;
  options.block.equation.c = formula("1 + x*y");
  EXPECT_EQ(reason(options), "needs c that does not depend on x");
  options = plain;
  options.block.equation.a = formula("1 + y^2");
  EXPECT_EQ(reason(options), "needs a that does not depend on y");
  options = plain;
  options.block.equation.eta = formula("-x*y");
  EXPECT_EQ(reason(options), "needs eta that does not depend on y");
  options = plain;
  options.block.equation.e = formula("1");
  EXPECT_EQ(reason(options), "needs e = 0");
}

// At the highest frequency of equal elements the eigenvalue along an axis is -12 / h^2.
TEST(SeparableLimits, ResonanceIsRefused) {
  const MakeSolver make = [](const Context& context, const Formulation& problem) {
    return separable_method.make(context, problem, {});
  };
  auto options = manufactured(general_exact, 8, 8, 1, 1, 0, -1);
  options.block.solver.allow_indefinite = true;
  const auto message = [&](const char* eta) -> std::string {
    options.block.equation.eta = formula(eta);
    try {
      solve_and_compare(options, TestDevice::omp_1, 1, make);
    } catch (const NumericalError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("2*12*64"),
            "collocation.solver.method: separable equations: resonance: with the eigenvalue -768 "
            "along y the equations along x are singular");
  EXPECT_EQ(message("2*12*64 + 1e-6"), "");
  EXPECT_EQ(message("300"), "");
  options.block.mesh.y.map = formula("t^2");  // the pencil's eigenvectors along y
  const Formulation graded = formulate(options);
  const Communicator self(MPI_COMM_SELF);
  const double nu = pencil_basis(graded.y, std::vector<double>(16, 1.0), self).values[3];
  char eta[40];
  std::snprintf(eta, sizeof eta, "%.17g", 12 * 64 - nu);
  EXPECT_NE(message(eta).find("resonance"), std::string::npos);
}

// The pencil has the eigenvalues mu of a u_xx.
TEST(SeparableLimits, ResonanceIsFoundWithTermsThatVary) {
  const Axis x(graded_nodes(12), dirichlet, robin_high);
  AxisOperator terms;
  for (const double t : x.gauss()) terms.a.push_back(2 + std::sin(9 * t));
  terms.d.assign(terms.a.size(), 0);
  terms.eta.assign(terms.a.size(), 3);
  const Communicator self(MPI_COMM_SELF);
  for (const double mu : pencil_basis(x, terms.a, self).values) {
    EXPECT_NE(resonance_across(self, x, terms, {7, -3 - mu, 9}, 2), std::nullopt) << mu;
    EXPECT_EQ(resonance_across(self, x, terms, {-3 - mu * (1 + 1e-7)}, 1), std::nullopt) << mu;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, Separable, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
