// The closed form against dense LU, for every kind of ends it takes, and cut into parts.
#include "lib/problems/collocation/direct/closed_modes.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "tests/unit/collocation/direct/inverse_cases.hpp"
#include "tests/unit/collocation/direct/solver_cases.hpp"

namespace halocline::collocation {
namespace {

struct Constants {
  double a, c, eta;
};

DirectCase closed_case(Index nx, Index ny, bool neumann_x, bool neumann_y, const Constants& k) {
  const EndCondition dirichlet{1, 0}, neumann{0, 1};
  const EndCondition x = neumann_x ? neumann : dirichlet, y = neumann_y ? neumann : dirichlet;
  return {equal_nodes(nx, -1, 2),
          equal_nodes(ny, 0.5, 2),
          x,
          x,
          y,
          y,
          constant(k.a),
          constant(0),
          constant(k.c),
          constant(0),
          constant(0),
          constant(k.eta)};
}

MakeInverse closed_inverse(const DirectCase& given, const Constants& k) {
  return [given, k](const Layout& layout) {
    const Axis x = given.axis_x(), y = given.axis_y();
    std::vector<std::unique_ptr<AlongY>> along;
    for (int p = 0; p < layout.team.parts(); ++p)
      along.push_back(make_closed_along(y, layout.blocks[p], layout.team.executor(p)));
    auto across =
        make_closed_across(layout.comm, layout.team, layout.blocks, x, k.a, k.eta, closed_mode_values(y, k.c));
    return std::make_unique<SeparableInverse>(layout.blocks, std::move(along), std::move(across));
  };
}

class ClosedForm : public testing::TestWithParam<TestDevice> {};

TEST_P(ClosedForm, IsTheSolutionByDenseLu) {
  const Communicator self(MPI_COMM_SELF);
  for (const bool neumann_x : {false, true})
    for (const bool neumann_y : {false, true})
      for (const auto& [nx, ny] : {std::pair<Index, Index>{4, 5}, {5, 4}, {7, 9}, {8, 8}, {12, 10}, {2, 3}}) {
        const Constants k{1.5, 0.7, -1};
        const DirectCase given = closed_case(nx, ny, neumann_x, neumann_y, k);
        const DirectReference reference(given);
        const auto f = reference.random_equations(static_cast<unsigned>(nx));
        const Layout layout(self, GetParam(), 1, nx, ny, 1);
        const auto found = solve_on(layout, reference, f, closed_inverse(given, k));
        EXPECT_LT(worst_difference(layout, reference, reference.solve(f), found), 1e-13)
            << nx << " " << ny << " " << neumann_x << neumann_y;
      }
}

TEST_P(ClosedForm, HasTheSameBitsOnAnyParts) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const auto& [nx, ny] : {std::pair<Index, Index>{16, 12}, {23, 6}}) {
    const Constants k{1, 2, 0};
    const DirectCase given = closed_case(nx, ny, false, true, k);
    const DirectReference reference(given);
    const auto f = reference.random_equations(7);
    const MakeInverse make = closed_inverse(given, k);
    const TestDevice one = GetParam() == TestDevice::cuda ? TestDevice::cuda : TestDevice::omp_1;
    const auto whole = solve_on(Layout(self, one, 1, nx, ny, 1), reference, f, make)[0];
    for (const int each : {1, 2, 3, 16}) {  // so many parts send in two stages
      if (nx + 1 < each * world.size() || (each > 3 && GetParam() != one)) continue;
      const Layout layout(world, GetParam(), each, nx, ny, 1);
      const auto found = solve_on(layout, reference, f, make);
      for (int p = 0; p < each; ++p) {
        const NodalBlock& block = layout.blocks[p];
        const double* expected = whole.data() + block.first_line * block.line_size();
        for (std::size_t i = 0; i < found[p].size(); ++i) ASSERT_EQ(found[p][i], expected[i]) << p << " " << i;
      }
    }
  }
}

// Published problem P1: errors of the specification to three digits.
TEST_P(ClosedForm, HasTheErrorsOfTheDiscretization) {
  const MakeSolver make = [](const Context& context, const Formulation& problem) {
    EXPECT_EQ(closed_form_method.cannot(problem, {}), std::nullopt);
    return closed_form_method.make(context, problem, {});
  };
  const struct {
    Index ns;
    double u, u_x, u_xy;
  } rows[] = {{16, 6.08e-4, 2.38e-3, 1.14e-1}, {32, 3.36e-5, 1.63e-4, 6.88e-3}, {64, 2.04e-6, 1.02e-5, 4.47e-4}};
  for (const auto& row : rows)
    for (const int devices : {1, 2}) {
      const NodeErrors found = solve_and_compare(thesis(row.ns), GetParam(), devices, make);
      EXPECT_NEAR(found.u, row.u, 0.003 * row.u) << row.ns;
      EXPECT_NEAR(found.u_x, row.u_x, 0.004 * row.u_x) << row.ns;
      EXPECT_NEAR(found.u_xy, row.u_xy, 0.005 * row.u_xy) << row.ns;
    }
}

// Side data, a rectangle and Neumann sides: order four.
TEST_P(ClosedForm, ConvergesWithDataOnTheSides) {
  const MakeSolver make = [](const Context& context, const Formulation& problem) {
    return closed_form_method.make(context, problem, {});
  };
  double before = 0;
  for (const Index n : {8, 16, 32}) {
    auto options = manufactured(general_exact, n, n / 2, 2, 0.5, 0, -1);
    options.block.mesh.x.from = -1;
    options.block.sides.sides[2].given = options.block.sides.sides[3].given = true;
    options.block.sides.sides[2].kind = options.block.sides.sides[3].kind = SideKind::neumann;
    const double error = solve_and_compare(options, GetParam(), 2, make).u;
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 4, 0.4) << n;
    }
    before = error;
  }
}

TEST(ClosedFormLimits, NameWhatTheMethodCannotDo) {
  const auto reason = [](const CollocationOptions& options) {
    return closed_form_method.cannot(formulate(options), {}).value_or("");
  };
  const auto plain = manufactured(general_exact, 8, 8, 1, 1, 0, -1);
  EXPECT_EQ(reason(plain), "");
  auto options = plain;
  options.block.equation.a = formula("1 + x");
  EXPECT_EQ(reason(options), "needs a that does not depend on x");
  options = plain;
  options.block.equation.eta = formula("-1 - y^2");
  EXPECT_EQ(reason(options), "needs eta that does not depend on y");
  options = plain;
  options.block.equation.b = formula("0.1");
  EXPECT_EQ(reason(options), "needs b = 0");
  options = plain;
  options.block.equation.e = formula("x");
  EXPECT_EQ(reason(options), "needs e = 0");
  options = plain;
  options.block.mesh.y.map = formula("t^2");
  EXPECT_EQ(reason(options), "axis y has elements of different lengths");
  options = plain;
  options.block.sides.sides[0] = options.block.sides.sides[4];
  options.block.sides.sides[0].kind = SideKind::neumann;
  EXPECT_EQ(reason(options), "axis x has conditions of different kinds at its two ends");
  options = plain;
  for (const int side : {2, 3}) {
    auto& robin = options.block.sides.sides[side];
    robin = options.block.sides.sides[4];
    robin.kind = SideKind::robin;
    robin.alpha = robin.beta = formula("1");
  }
  EXPECT_EQ(reason(options), "axis y has a Robin condition");
  // eta equal to minus an eigenvalue of the rest: at k = n of both axes mu = -12 / h^2.
  options = plain;
  options.block.equation.eta = formula("2*12*64");
  options.block.solver.allow_indefinite = true;
  EXPECT_TRUE(reason(options).starts_with("resonance")) << reason(options);
  options.block.equation.eta = formula("2*12*64 + 1e-6");
  EXPECT_EQ(reason(options), "");
  // A definite operator never is, however flat the box.
  options = plain;
  options.block.mesh.x.to = 1e-4;
  options.block.mesh.y.to = 1e4;
  options.block.equation.eta = formula("0");
  for (const int side : {0, 1}) {
    options.block.sides.sides[side] = options.block.sides.sides[4];
    options.block.sides.sides[side].kind = SideKind::neumann;
  }
  EXPECT_EQ(reason(options), "");
}

INSTANTIATE_TEST_SUITE_P(Executors, ClosedForm, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
