// Method pencil: a(x) u_xx + c(y) u_yy + eta u on any mesh with any ends, both axes by dense eigenvectors: 64 n^3
// operations per solve and two symmetric eigenproblems of order 2n before. With several parts all modes travel twice,
// see AcrossByColumns, and every part holds all eigenvectors.
#include "lib/problems/collocation/direct/dense_modes.hpp"
#include "lib/problems/collocation/direct/direct_solver.hpp"
#include "lib/problems/collocation/direct/separability.hpp"
#include "lib/problems/collocation/methods.hpp"

namespace halocline::collocation {

namespace {

std::optional<std::string> cannot(const Formulation& problem, const SolverOptions& /*options*/) {
  const auto fault = needs_constant_sides(problem);
  return fault ? fault : not_of_form(problem, "x0y00c");
}

std::size_t bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  const Index nx = problem.x.elements(), ny = problem.y.elements();
  const NodalBlock block{0, lines, nx, ny};
  const Index vectors = lines < nx + 1 ? 2 + 5 : 2;
  const Index bases = 8 * (nx + 1) * (nx + 9) + 8 * (ny + 1) * (ny + 9);
  return static_cast<std::size_t>(vectors * block.size() + bases + 512 * (4 * nx + block.line_size())) * sizeof(double);
}

// Resonance shows here, once the eigenvalues are known: NumericalError.
std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& /*options*/) {
  DirectMethod method;
  method.name = "symmetric pencils of both axes, dense products";
  method.bytes = 8 * 8 * problem.unknowns();
  method.make = [&context, &problem](const std::vector<NodalBlock>& blocks) {
    const Team& team = context.team;
    const auto [x, y] = pencil_bases(problem.x, along_x(problem, 0), problem.y, along_y(problem, 2), context.comm);
    const double eta = along_y(problem, 5)[0];
    std::vector<double> shifted = x.values;
    for (double& value : shifted) value += eta;
    if (const auto fault = resonance(shifted, y.values, definite_with(problem, eta)))
      throw NumericalError("collocation.solver.method: pencil: " + *fault);
    std::vector<std::unique_ptr<AlongY>> along;
    for (int p = 0; p < team.parts(); ++p) along.push_back(make_dense_along(y, blocks[p], team.executor(p)));
    return std::make_unique<SeparableInverse>(blocks, std::move(along),
                                              make_dense_across(context.comm, team, blocks, x, eta, y.values));
  };
  return make_direct_solver(context, problem, std::move(method));
}

}  // namespace

constinit const MethodEntry pencil_method{Method::pencil, cannot, in_lines, bytes, make};

}  // namespace halocline::collocation
