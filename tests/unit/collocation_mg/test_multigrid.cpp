// Multigrid-preconditioned BiCGSTAB: iterations and errors of the specification's problems.
#include <gtest/gtest.h>

#include "tests/unit/collocation_mg/solve_case.hpp"
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
};

// Errors to 3 %, iterations to +-1 (+-2 above 10): section 12 of the specification.
TEST(Multigrid, TakesTheIterationsOfTheSpecification) {
  for (const Row& row : {Row{"P1", &p1, &exact_p1, 32, 5, 3.36e-5}, Row{"P1", &p1, &exact_p1, 64, 5, 2.04e-6},
                         Row{"P2", &p2, &exact_us, 32, 5, 3.95e-8}, Row{"P2", &p2, &exact_us, 64, 5, 2.47e-9},
                         Row{"P2", &p2, &exact_us, 128, 5, 1.55e-10}, Row{"P3", &p3, &exact_us, 64, 6, 9.88e-9},
                         Row{"P4", &p4, &exact_us, 128, 24, 0}, Row{"P5", &p5, &exact_us, 64, 6, 1.38e-9},
                         Row{"P6", &p6, &exact_us, 64, 5, 7.40e-9}, Row{"P6b", &p6b, &exact_us, 64, 11, 0},
                         Row{"P6b", &p6b, &exact_us, 128, 8, 0}, Row{"P7", &p7, &exact_us, 64, 8, 3.42e-9}}) {
    const Axis axis = unit(row.n);
    const Solved s = solve(make_formulation(axis, axis, *row.equation, *row.exact));
    EXPECT_TRUE(s.report.converged) << row.name;
    EXPECT_NEAR(s.report.iterations, row.iterations, row.iterations > 10 ? 2 : 1) << row.name << ' ' << row.n;
    if (row.u > 0) {
      EXPECT_NEAR(s.error[0], row.u, 0.03 * row.u) << row.name << ' ' << row.n;
    }
  }
}

}  // namespace
}  // namespace halocline::collocation
