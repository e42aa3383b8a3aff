// Runs a Solver of family collocation by itself, on one rank.
#pragma once

#include <gtest/gtest.h>

#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "lib/problems/collocation/solver.hpp"
#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/collocation/on_host.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline::collocation {

using MakeSolver = std::unique_ptr<Solver> (*)(const Context&, const Formulation&, const SolverOptions&);

// Everything a solver needs, and the solver.
struct SolverSetUp {
  SolverSetUp(MakeSolver make, const Formulation& problem, std::vector<ExecutorPtr> executors,
              const SolverOptions& options)
      : problem(problem),
        parts(static_cast<int>(executors.size())),
        team(std::move(executors), 0, parts),
        context{comm, team, timers, log, {}, 1, pairs(problem.x.elements() + 1, parts)},
        solver(make(context, problem, options)) {}
  static Partition pairs(Index lines, int parts) {
    return Partition(lines, 2, std::vector<double>(static_cast<std::size_t>(parts), 1.0), 2);
  }
  std::vector<double> unknowns() const {
    std::vector<double> all;
    for (int p = 0; p < parts; ++p) {
      const auto own = unknowns_on_host(*solver, p, team.executor(p), problem);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
  const Formulation& problem;
  int parts;
  Communicator comm{MPI_COMM_SELF};
  Team team;
  Timers timers;
  Log log{false, LogLevel::off};
  Context context;
  std::unique_ptr<Solver> solver;
};

struct SolverRun {
  SolverRun(MakeSolver make, const Formulation& problem, std::vector<ExecutorPtr> executors,
            const SolverOptions& options) {
    SolverSetUp set_up(make, problem, std::move(executors), options);
    set_up.solver->begin();
    while (!set_up.solver->iterate(7)) {
    }
    report = set_up.solver->report();
    unknowns = set_up.unknowns();
  }
  SolveReport report;
  std::vector<double> unknowns;  // [line][node][component]
};

// `expected`: all lines of the mesh in the layout of nodal_layout.hpp.
inline void expect_unknowns(const SolverRun& run, const NodalBlock& block, const std::vector<double>& expected,
                            double tolerance, const std::string& what) {
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  const Index lines = block.nx + 1, ny = block.ny;
  ASSERT_EQ(static_cast<Index>(run.unknowns.size()), lines * 4 * (ny + 1)) << what;
  for (Index i = 0; i < lines; ++i)
    for (Index j = 0; j <= ny; ++j)
      for (int c = 0; c < 4; ++c)
        ASSERT_NEAR(run.unknowns[(i * (ny + 1) + j) * 4 + c], expected[i * block.line_size() + block.place(c, j)],
                    tolerance * largest)
            << what << ": line " << i << ", node " << j << ", component " << c;
}

inline void expect_same_after_restore(MakeSolver make, const Formulation& problem, TestDevice device,
                                      const SolverOptions& options, int iterations) {
  const SolverRun whole(make, problem, make_test_executors(device, 1), options);
  MemoryArchive archive;
  {
    SolverSetUp first(make, problem, make_test_executors(device, 1), options);
    first.solver->begin();
    ASSERT_FALSE(first.solver->iterate(iterations));
    first.solver->archive(archive);
  }
  archive.restore_from_now_on();
  SolverSetUp second(make, problem, make_test_executors(device, 3), options);
  second.solver->archive(archive);
  EXPECT_EQ(second.solver->report().iterations, iterations);
  while (!second.solver->iterate(3)) {
  }
  EXPECT_EQ(second.solver->report().history, whole.report.history);
  EXPECT_EQ(second.unknowns(), whole.unknowns);
}

inline SolverOptions tight() {
  SolverOptions options;
  options.tolerance = 1e-13;
  options.max_iterations = 1000;
  return options;
}

inline CollocationOptions p1(Index ns) { return thesis(ns); }

// P2 of the specification; on all sides u is given, or its normal derivative.
inline CollocationOptions p2(Index ns, SideKind kind = SideKind::dirichlet) {
  CollocationOptions options = manufactured("sin(2*x+1)*cos(3*y) + exp(x*y/2)", ns, ns, 1, 1, 0, -1);
  EquationOptions& e = options.block.equation;
  e.a = formula("2+sin(pi*x)*cos(pi*y)");
  e.b = formula("0.4*cos(x-y)");
  e.c = formula("1.5+0.5*cos(x*y)");
  e.d = formula("5*cos(y)");
  e.e = formula("-3*x");
  e.eta = formula("-(1+x^2+y^2)");
  options.block.sides.sides[4].kind = kind;
  return options;
}

}  // namespace halocline::collocation
