// The closed form against dense LU, for every kind of ends it takes, and cut into parts.
#include "lib/problems/collocation/closed_modes.hpp"
#include "tests/unit/collocation_direct/inverse_cases.hpp"

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
    for (const int each : {1, 2, 3}) {
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

INSTANTIATE_TEST_SUITE_P(Executors, ClosedForm, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
