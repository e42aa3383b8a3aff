// Multigrid-preconditioned BiCGSTAB: iterations and errors of the specification's problems, and that parts do not
// change a bit of the result.
#include "lib/problems/collocation/multigrid/multigrid.hpp"

#include <gtest/gtest.h>

#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/collocation/multigrid/solve_case.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

Solved solve(const Formulation& problem, const SolverOptions& options = mg_options()) {
  const Communicator comm(MPI_COMM_SELF);
  return solve_on(comm, {make_omp_executor(2)}, problem, options);
}

struct Row {
  const char* name;
  const Coefficients* equation;
  const std::string* exact;
  Index n;
  int iterations;
  double u;  // error; 0: not compared
  SmootherChoice smoother = SmootherChoice::node;
};

// Errors to 3 %, iterations to +-1 (+-2 above 10): section 12 of the specification.
TEST(Multigrid, TakesTheIterationsOfTheSpecification) {
  for (const Row& row : {Row{"P1", &p1, &exact_p1, 32, 5, 3.36e-5}, Row{"P1", &p1, &exact_p1, 64, 5, 2.04e-6},
                         Row{"P2", &p2, &exact_us, 32, 5, 3.95e-8}, Row{"P2", &p2, &exact_us, 64, 5, 2.47e-9},
                         Row{"P2", &p2, &exact_us, 128, 5, 1.55e-10}, Row{"P3", &p3, &exact_us, 64, 6, 9.88e-9},
                         Row{"P5", &p5, &exact_us, 64, 6, 1.38e-9}, Row{"P6", &p6, &exact_us, 64, 5, 7.40e-9},
                         Row{"P6b", &p6b, &exact_us, 64, 11, 0}, Row{"P7", &p7, &exact_us, 64, 8, 3.42e-9},
                         Row{"P2", &p2, &exact_us, 64, 5, 2.47e-9, SmootherChoice::alt},
                         Row{"P3", &p3, &exact_us, 64, 5, 9.88e-9, SmootherChoice::alt},
                         Row{"P4", &p4, &exact_us, 64, 5, 2.79e-9, SmootherChoice::alt},
                         Row{"P5", &p5, &exact_us, 64, 5, 1.38e-9, SmootherChoice::alt},
                         Row{"P6b", &p6b, &exact_us, 64, 6, 0, SmootherChoice::alt},
                         Row{"P7", &p7, &exact_us, 64, 6, 3.42e-9, SmootherChoice::alt}}) {
    const Axis axis = unit(row.n);
    const Solved s = solve(make_formulation(axis, axis, *row.equation, *row.exact), mg_options(row.smoother));
    EXPECT_TRUE(s.report.converged()) << row.name;
    EXPECT_NEAR(s.report.iterations, row.iterations, row.iterations > 10 ? 2 : 1) << row.name << ' ' << s.text;
    if (row.u > 0) {
      EXPECT_NEAR(s.error[0], row.u, 0.03 * row.u) << row.name << ' ' << row.n;
    }
  }
}

// Side kinds and meshes with n = 32: errors of u, u_x, u_y to 3 %, 4 to 5 iterations.
TEST(Multigrid, HasTheErrorsOfAllSidesAndMeshes) {
  struct Case {
    const char* name;
    Axis x, y;
    std::array<double, 3> errors;
  };
  const auto graded_x = mapped_nodes(32, [](double t) { return t + 0.15 * std::sin(2 * M_PI * t) / M_PI; });
  const auto graded_y = mapped_nodes(32, [](double t) { return 0.7 * std::pow(t, 1.5) + 0.3 * t; });
  const auto wide = uniform_nodes(-1, 2, 32), high = uniform_nodes(0.5, 2, 16);
  for (const Case& c :
       {Case{"Neumann", unit(32, neumann, neumann), unit(32, neumann, neumann), {4.30e-7, 1.61e-7, 2.80e-7}},
        Case{"Robin", unit(32, robin_low, robin_high), unit(32, robin_low, robin_high), {8.63e-8, 1.55e-7, 1.73e-7}},
        Case{"rectangle", Axis(wide), Axis(high), {7.27e-6, 4.01e-5, 6.58e-5}},
        Case{"mixed", Axis(wide, dirichlet, neumann), Axis(high, robin_low, robin_high), {1.39e-5, 6.86e-5, 5.70e-5}},
        Case{"graded", Axis(graded_x), Axis(graded_y), {6.89e-8, 4.37e-7, 4.78e-7}},
        Case{"graded, mixed",
             Axis(graded_x, robin_low, robin_high),
             Axis(graded_y, dirichlet, neumann),
             {1.61e-7, 3.06e-7, 4.08e-7}}}) {
    const Solved s = solve(make_formulation(c.x, c.y, p2, exact_us));
    EXPECT_TRUE(s.report.converged()) << c.name;
    EXPECT_LE(s.report.iterations, 7) << c.name;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.error[k], c.errors[k], 0.03 * c.errors[k]) << c.name << ' ' << k;
  }
}

// x += B (b - A x): section 7 gives 0.06 to 0.075 per cycle, section 12 11 cycles for P1 and P2.
TEST(Multigrid, CyclesAloneConvergeAsSpecified) {
  for (const bool first : {true, false}) {
    const Axis axis = unit(64);
    const Formulation problem = make_formulation(axis, axis, first ? p1 : p2, first ? exact_p1 : exact_us);
    const Communicator comm(MPI_COMM_SELF);
    const Team team({make_omp_executor(2)}, 0, 1);
    const NodalBlock block{0, 65, 64, 64};
    const Equations<double> equations(problem, axis, axis, block, team.executor(0), 2);
    const auto space = nodal_vector_space(comm, team, {block});
    const NodalOperator op(space, {&equations}, axis, axis);
    const MultigridPlan plan = plan_multigrid(problem, SmootherChoice::node, 1);
    const auto cycle = make_multigrid<double>(space, problem, plan, Partition::from_starts({0, 65}), {&equations}, 2);
    std::optional<GaussPoint> bad;
    const auto rhs = right_hand_side_on_host(make_omp_executor(2), problem, block, bad);
    Vector<double> b(space), x(space), r(space), z(space);
    team.executor(0)->copy_in(b.part(0).data, rhs.data(), rhs.size() * sizeof(double));
    std::vector<double> sizes;
    for (int k = 0; k < 11; ++k) {
      op.residual(b, x, r);
      cycle->apply(r, z);
      axpy(1, z, x);
      sizes.push_back(norm(z));
    }
    EXPECT_LT(sizes.back(), 1e-11 * norm(x));
    const double factor = std::pow(sizes[9] / sizes[3], 1.0 / 6);
    EXPECT_GT(factor, 0.05) << (first ? "P1" : "P2");
    EXPECT_LT(factor, 0.08) << (first ? "P1" : "P2");
  }
}

// Two cycles per level reach the discretization error of u; a start in fp32 still saves iterations.
TEST(Multigrid, FullMultigridReachesTheDiscretizationError) {
  struct Case {
    const char* name;
    const Coefficients* equation;
    const std::string* exact;
    EndCondition low, high;
  };
  for (const Case& c :
       {Case{"P1", &p1, &exact_p1, dirichlet, dirichlet}, Case{"P2", &p2, &exact_us, dirichlet, dirichlet},
        Case{"P2 Robin", &p2, &exact_us, robin_low, robin_high}}) {
    const Axis axis = unit(64, c.low, c.high);
    const Formulation problem = make_formulation(axis, axis, *c.equation, *c.exact);
    SolverOptions options = mg_options();
    const Solved from_zero = solve(problem, options);
    options.start = Start::fmg;
    const Solved single = solve(problem, options);
    EXPECT_LT(single.report.iterations, from_zero.report.iterations) << c.name;
    options.precision = Precision::fp64;
    options.max_iterations = 0;
    const Solved started = solve(problem, options);
    EXPECT_EQ(started.report.iterations, 0);
    EXPECT_LT(started.error[0], 2 * from_zero.error[0]) << c.name;
  }
}

class MultigridParts : public OnEveryExecutor {};

// The same bits on 1 to 4 parts, whether levels are distributed or replicated.
TEST_P(MultigridParts, DoNotChangeABit) {
  const Communicator comm(MPI_COMM_SELF);
  const Axis x = unit(64, robin_low, dirichlet), y(random_nodes(24, 2, 4), dirichlet, neumann);
  for (const auto* equation : {&p2, &p1}) {
    const Formulation problem = make_formulation(x, y, *equation, exact_us);
    std::vector<double> expected;
    int iterations = 0;
    for (const int parts : {1, 2, 3, 4}) {
      const Solved s = solve_on(comm, make_test_executors(GetParam(), parts), problem, mg_options());
      EXPECT_TRUE(s.report.converged());
      if (parts == 1) {
        expected = s.unknowns;
        iterations = s.report.iterations;
      } else {
        EXPECT_EQ(s.unknowns, expected) << parts;
        EXPECT_EQ(s.report.iterations, iterations) << parts;
      }
    }
  }
}

TEST_P(MultigridParts, DistributedLevelsDoNotChangeABit) {
  const Communicator comm(MPI_COMM_SELF);
  const Axis x = unit(128), y(random_nodes(32, 2, 4));
  const Formulation problem = make_formulation(x, y, p2, exact_us);
  std::vector<double> expected;
  for (const int parts : {1, 2, 4}) {
    const Team team(make_test_executors(GetParam(), parts), 0, parts);
    // Levels of more than 32 elements along x are shared out: three, two with 4 parts.
    const MultigridPlan plan = plan_multigrid(problem, SmootherChoice::node, parts, 16);
    EXPECT_EQ(plan.distributed, parts == 1 ? 0 : 2);
    const Partition partition(129, plan.line_chunk(), std::vector<double>(static_cast<std::size_t>(parts), 1.0), 8);
    std::vector<NodalBlock> blocks;
    for (int p = 0; p < parts; ++p) blocks.push_back({partition.block(p).lo[0], partition.block(p).hi[0], 128, 32});
    std::vector<Equations<double>> equations;
    std::vector<const Equations<double>*> pointers;
    for (int p = 0; p < parts; ++p) equations.emplace_back(problem, x, y, blocks[p], team.executor(p), 1);
    for (const auto& part : equations) pointers.push_back(&part);
    const auto space = nodal_vector_space(comm, team, blocks);
    const auto cycle = make_multigrid<float>(space, problem, plan, partition, pointers, 1);
    Vector<double> b(space), u(space);
    std::vector<double> all;
    for (int p = 0; p < parts; ++p) {
      std::optional<GaussPoint> bad;
      const auto rhs = right_hand_side_on_host(make_omp_executor(1), problem, blocks[p], bad);
      team.executor(p)->copy_in(b.part(p).data, rhs.data(), rhs.size() * sizeof(double));
    }
    cycle->apply(b, u);
    for (int p = 0; p < parts; ++p) {
      std::vector<double> own(static_cast<std::size_t>(u.part(p).size()));
      team.executor(p)->copy_out(own.data(), u.part(p).data, own.size() * sizeof(double));
      all.insert(all.end(), own.begin(), own.end());
    }
    if (parts == 1) {
      expected = all;
    } else {
      EXPECT_EQ(all, expected) << parts;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, MultigridParts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
