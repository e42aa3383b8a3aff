// Solves a formulation with a solver of the collocation family and measures the errors at the nodes.
#pragma once

#include <cmath>
#include <vector>

#include "lib/problems/collocation/methods.hpp"
#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/collocation/on_host.hpp"

namespace halocline::collocation {

struct Solved {
  SolveReport report;
  std::array<double, 4> error{};  // of u, u_x, u_y, u_xy, largest over the nodes
  std::vector<double> unknowns;   // of all parts of this rank, in order
  std::string text;
};

inline SolverOptions mg_options(SmootherChoice smoother = SmootherChoice::node, double tolerance = 1e-12) {
  SolverOptions options;
  options.method = Method::mg;
  options.tolerance = tolerance;
  options.max_iterations = 100;
  options.smoother = smoother;
  return options;
}

inline Solved solve_on(const Communicator& comm, std::vector<ExecutorPtr> executors, const Formulation& problem,
                       const SolverOptions& options) {
  const int devices = static_cast<int>(executors.size());
  const Team team(std::move(executors), comm.rank() * devices, comm.size() * devices);
  Timers timers;
  Log log(false, LogLevel::off);
  Shape shape;
  shape.weights.assign(static_cast<std::size_t>(comm.size() * devices), 1.0);
  const LineCut cut = multigrid_method.cut(problem, options, team.total_parts());
  const Context context{
      comm, team, timers, log, shape, 1, Partition(problem.x.elements() + 1, cut.chunk, shape.weights, cut.least)};
  const auto solver = multigrid_method.make(context, problem, options);
  solver->begin();
  while (!solver->iterate(3)) {
  }
  Solved result;
  result.report = solver->report();
  result.text = solver->describe();
  const Index ny = problem.y.elements();
  for (int p = 0; p < team.parts(); ++p) {
    const auto values = unknowns_on_host(*solver, p, team.executor(p), problem);
    const Range<1> lines = solver->lines(p);
    for (Index i = lines.lo[0]; i < lines.hi[0]; ++i) {
      std::array<std::vector<double>, 4> exact;
      std::array<std::span<double>, 4> spans;
      for (int k = 0; k < 4; ++k) {
        exact[k].resize(static_cast<std::size_t>(ny + 1));
        spans[k] = exact[k];
      }
      evaluate_along_y(problem.exact, problem.x.nodes()[i], problem.y.nodes(), spans);
      for (Index j = 0; j <= ny; ++j)
        for (int k = 0; k < 4; ++k) {
          const double v = values[4 * ((i - lines.lo[0]) * (ny + 1) + j) + k];
          const double scale = (k % 2 == 1 ? problem.x.scale(i) : 1) * (k / 2 == 1 ? problem.y.scale(j) : 1);
          const double u = (v + problem.boundary.value(i, k % 2, j, k / 2)) / scale;
          result.error[k] = std::max(result.error[k], std::abs(u - exact[k][j]));
        }
    }
    result.unknowns.insert(result.unknowns.end(), values.begin(), values.end());
  }
  return result;
}

// The problems of the specification, section 12.
using Coefficients = std::array<std::string, 6>;
inline const std::string exact_us = "sin(2*x+1)*cos(3*y)+exp(x*y/2)";
inline const std::string exact_p1 = "10*exp(-100*(x-0.1)^2)*(x^2-x)*exp(-100*(y-0.1)^2)*(y^2-y)";
inline const Coefficients p1{"1", "0", "1", "0", "0", "-1"};
inline const Coefficients p2{"2+sin(pi*x)*cos(pi*y)", "0.4*cos(x-y)", "1.5+0.5*cos(x*y)", "5*cos(y)", "-3*x",
                             "-(1+x^2+y^2)"};
inline const Coefficients p3{"exp(3.45*sin(2*pi*x)*sin(2*pi*y))",
                             "0",
                             "exp(3.45*sin(2*pi*x)*sin(2*pi*y))",
                             "exp(3.45*sin(2*pi*x)*sin(2*pi*y))*3.45*2*pi*cos(2*pi*x)*sin(2*pi*y)",
                             "exp(3.45*sin(2*pi*x)*sin(2*pi*y))*3.45*2*pi*sin(2*pi*x)*cos(2*pi*y)",
                             "0"};
inline const Coefficients p4{"1", "0", "0.01", "0", "0", "-1"};
inline const Coefficients p5{"exp(2.3*sin(2*pi*x)*sin(2*pi*y))", "0", "1", "0", "0", "-1"};
inline const Coefficients p6{"1", "0", "1", "20*cos(pi*y)", "-20*x", "0"};
inline const Coefficients p6b{"1", "0", "1", "200*cos(pi*y)", "-200*x", "0"};
inline const Coefficients p7{"0.75+0.1*0.25", "0.9*sqrt(3)/4", "0.25+0.1*0.75", "0", "0", "0"};

inline Axis unit(Index n, EndCondition low = {}, EndCondition high = {}) {
  return Axis(uniform_nodes(0, 1, n), low, high);
}

}  // namespace halocline::collocation
