// Problems of the method's verification, solved by one of its direct solvers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/separable/strip_modes.hpp"
#include "lib/problems/collocation/solver.hpp"
#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/collocation/on_host.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {

using MakeSolver = std::function<std::unique_ptr<Solver>(const Context&, const Formulation&)>;

struct NodeErrors {
  double u = 0, u_x = 0, u_y = 0, u_xy = 0;
  int iterations = 0;
};

// Largest errors at the nodes of a run on `devices` parts of this process.
inline NodeErrors solve_and_compare(const CollocationOptions& options, TestDevice device, int devices,
                                    const MakeSolver& make) {
  const Communicator comm(MPI_COMM_SELF);
  const Team team(make_test_executors(device, devices), 0, devices);
  Timers timers;
  Log log(false, LogLevel::off);
  Shape shape;
  shape.weights.assign(static_cast<std::size_t>(devices), 1.0);
  const Formulation problem = formulate(options);
  const Index strip = strip_length(problem.x.elements());  // which other methods do not need
  const Context context{
      comm, team, timers, log, shape, 1, Partition(problem.x.elements() + 1, strip, shape.weights, 2)};
  const auto solver = make(context, problem);
  solver->begin();
  while (!solver->iterate(1)) {
  }
  EXPECT_TRUE(solver->report().converged());
  NodeErrors worst;
  worst.iterations = solver->report().iterations;
  const auto larger = [](double a, double b) { return b > a || std::isnan(b) ? b : a; };
  for (int p = 0; p < devices; ++p) {
    const Range<1> lines = solver->lines(p);
    const std::vector<double> v = unknowns_on_host(*solver, p, team.executor(p), problem);
    const auto points = static_cast<Index>(problem.y.nodes().size());
    EXPECT_EQ(static_cast<Index>(v.size()), 4 * points * lines.extent(0));
    for (Index i = lines.lo[0]; i < lines.hi[0]; ++i) {
      std::vector<double> exact(static_cast<std::size_t>(4 * points));
      std::array<std::span<double>, 4> results;
      for (std::size_t k = 0; k < 4; ++k) results[k] = std::span(exact).subspan(k * points, points);
      evaluate_along_y(problem.exact, problem.x.nodes()[i], problem.y.nodes(), results);
      for (Index j = 0; j < points; ++j) {
        const auto error = [&](int c) {
          const double scale = (c % 2 ? problem.x.scale(i) : 1) * (c / 2 ? problem.y.scale(j) : 1);
          const double unknown = v[4 * ((i - lines.lo[0]) * points + j) + c];
          return std::abs((unknown + problem.boundary.value(i, c % 2, j, c / 2)) / scale - results[c][j]);
        };
        worst.u = larger(worst.u, error(0));
        worst.u_x = larger(worst.u_x, error(1));
        worst.u_y = larger(worst.u_y, error(2));
        worst.u_xy = larger(worst.u_xy, error(3));
      }
    }
  }
  return worst;
}

// lap u - u = f with u = sin(2x+1) cos(3y) + exp(xy/2) and variations of it.
constexpr const char* general_exact = "sin(2*x+1)*cos(3*y) + exp(x*y/2)";

}  // namespace halocline::collocation
