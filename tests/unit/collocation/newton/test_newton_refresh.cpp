// A multigrid cycle whose finest equations have got new coefficients and that was refreshed, against one that is made
// for them: coefficients that are bilinear, which the restriction keeps exactly, so that both differ by rounding.
#include <gtest/gtest.h>

#include "lib/problems/collocation/multigrid/multigrid.hpp"
#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

// Three parts, levels of more than 16 elements along x shared out.
struct Case {
  Case(TestDevice device, const std::array<std::string, 6>& coefficients, SmootherChoice smoother, int parts)
      : x(uniform_nodes(0, 1, 64), neumann, dirichlet),
        y(uniform_nodes(0, 1, 32), dirichlet, robin_high),
        problem(make_formulation(x, y, coefficients)),
        team(make_test_executors(device, parts), 0, parts),
        plan(plan_multigrid(problem, smoother, parts, 16)),
        partition(65, plan.line_chunk(), std::vector<double>(static_cast<std::size_t>(parts), 1.0), 4) {
    problem.nonlinear = std::make_shared<const Nonlinear>();  // so that levels keep coefficients that can change
    std::vector<NodalBlock> blocks;
    for (int p = 0; p < parts; ++p) blocks.push_back({partition.block(p).lo[0], partition.block(p).hi[0], 64, 32});
    for (int p = 0; p < parts; ++p) equations.emplace_back(problem, x, y, blocks[p], team.executor(p), 1);
    for (const auto& part : equations) pointers.push_back(&part);
    space = nodal_vector_space(comm, team, blocks);
  }

  template <class T>
  std::unique_ptr<Multigrid> cycle() const {
    return make_multigrid<T>(space, problem, plan, partition, pointers, 1);
  }

  // The cycle of a right-hand side without any pattern.
  std::vector<double> applied(const Multigrid& cycle) const {
    Vector<double> b(space), u(space);
    std::vector<double> all;
    for (int p = 0; p < team.parts(); ++p) {
      const NodalBlock& block = equations[p].block();
      std::vector<double> values(static_cast<std::size_t>(block.size()), 0.0);
      for (Index i = 0; i < block.lines(); ++i)
        for (Index j = 0; j < block.nodes(); ++j)
          for (int c = 0; c < 4; ++c)
            if (equations[p].view().exists(block.first_line + i, j, c))
              values[i * block.line_size() + block.place(c, j)] =
                  std::sin(7.0 * static_cast<double>(block.first_line + i) + 3.0 * static_cast<double>(j) + c);
      b.assign(p, values);
    }
    cycle.apply(b, u);
    for (int p = 0; p < team.parts(); ++p)
      for (const double value : u.to_host(p)) all.push_back(value);
    return all;
  }

  Axis x, y;
  Formulation problem;
  Communicator comm{MPI_COMM_SELF};
  Team team;
  MultigridPlan plan;
  Partition partition;
  std::vector<Equations<double>> equations;
  std::vector<const Equations<double>*> pointers;
  VectorSpacePtr space;
};

const std::array<std::string, 6> before{"2 + x*y", "0.1*x", "1 + x", "y", "x", "-1 - x*y"},
    after{"3 + x - y", "0.3*y", "2 + x*y", "5*y", "-3*x", "-1 - 20*x"};

class Refresh : public testing::TestWithParam<TestDevice> {};

template <class T>
void expect_as_made_anew(TestDevice device, SmootherChoice smoother, int parts, double tolerance) {
  Case changed(device, before, smoother, parts), anew(device, after, smoother, parts);
  const auto cycle = changed.cycle<T>();
  changed.applied(*cycle);
  for (int p = 0; p < parts; ++p) {
    const auto bytes = static_cast<std::size_t>(6 * anew.equations[p].block().size()) * sizeof(double);
    std::vector<double> values(bytes / sizeof(double));
    anew.team.executor(p)->copy_out(values.data(), anew.equations[p].samples(), bytes);
    changed.team.executor(p)->copy_in(changed.equations[p].samples(), values.data(), bytes);
  }
  const std::vector<double> expected = anew.applied(*anew.cycle<T>()), old = changed.applied(*cycle);
  cycle->refresh();
  const std::vector<double> found = changed.applied(*cycle);
  double largest = 0, error = 0, change = 0;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    largest = std::max(largest, std::abs(expected[n]));
    error = std::max(error, std::abs(found[n] - expected[n]));
    change = std::max(change, std::abs(old[n] - expected[n]));
  }
  EXPECT_LT(error, tolerance * largest) << static_cast<int>(smoother) << ", parts " << parts;
  EXPECT_GT(change, 0.01 * largest);
}

TEST_P(Refresh, LevelsBecomeThoseOfTheNewCoefficients) {
  expect_as_made_anew<double>(GetParam(), SmootherChoice::node, 1, 1e-11);
  expect_as_made_anew<float>(GetParam(), SmootherChoice::node, 3, 1e-4);
  expect_as_made_anew<float>(GetParam(), SmootherChoice::vline, 1, 1e-4);
  expect_as_made_anew<double>(GetParam(), SmootherChoice::vline, 3, 1e-11);
  expect_as_made_anew<double>(GetParam(), SmootherChoice::hline, 3, 1e-11);  // levels that every part has
}

INSTANTIATE_TEST_SUITE_P(Executors, Refresh, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
