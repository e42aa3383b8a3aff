// Method closed_form: equal elements, constant a, c, eta and nothing else, each axis Dirichlet or Neumann at both ends.
//
// One application in double precision, whatever solver.precision says: transforms in single precision would need a
// second application and a residual, which move more bytes. A solve reads f and writes x, and reads and writes x
// twice: 6 vectors. With several parts all modes travel twice, see AcrossByColumns.
#include "lib/problems/collocation/direct/closed_modes.hpp"
#include "lib/problems/collocation/direct/direct_solver.hpp"
#include "lib/problems/collocation/direct/separability.hpp"
#include "lib/problems/collocation/methods.hpp"

namespace halocline::collocation {

namespace {

std::vector<double> scaled_values(const Axis& axis, double scale, double shift) {
  std::vector<double> values = closed_tables(axis).value;
  for (double& value : values) value = scale * value + shift;
  return values;
}

std::optional<std::string> cannot(const Formulation& problem, const SolverOptions& /*options*/) {
  if (problem.periodic()) return needs_constant_sides(problem);
  if (const auto fault = not_of_form(problem, "c0c00c")) return fault;
  if (const auto fault = needs_constant_sides(problem)) return fault;
  for (const auto& [axis, name] : {std::pair{&problem.x, "x"}, {&problem.y, "y"}})
    if (const auto fault = no_closed_form(*axis)) return std::string("axis ") + name + " " + *fault;
  const auto& k = *problem.constants;
  return resonance(scaled_values(problem.x, k[0], k[5]), scaled_values(problem.y, k[2], 0),
                   definite_with(problem, k[5]));
}

std::size_t bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  const NodalBlock block{0, lines, problem.x.elements(), problem.y.elements()};
  const Index total = problem.x.elements() + 1;
  // f and x; with several parts the turned modes and two exchanges' buffers; workers' transforms.
  const Index vectors = lines < total ? 2 + 5 : 2;
  const Index longest = std::max(problem.x.elements(), problem.y.elements());
  return static_cast<std::size_t>(vectors * block.size() + 64 * 4 * longest) * sizeof(double);
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& /*options*/) {
  DirectMethod method;
  method.name = "closed form by sine and cosine transforms";
  method.bytes = 6 * 8 * problem.unknowns();
  method.make = [&context, &problem](const std::vector<NodalBlock>& blocks) {
    const auto& k = *problem.constants;
    std::vector<std::unique_ptr<AlongY>> along;
    for (int p = 0; p < context.team.parts(); ++p)
      along.push_back(make_closed_along(problem.y, blocks[p], context.team.executor(p)));
    return std::make_unique<SeparableInverse>(blocks, std::move(along),
                                              make_closed_across(context.comm, context.team, blocks, problem.x, k[0],
                                                                 k[5], closed_mode_values(problem.y, k[2])));
  };
  return make_direct_solver(context, problem, std::move(method));
}

}  // namespace

constinit const MethodEntry closed_form_method{Method::closed_form, cannot, in_lines, bytes, make};

}  // namespace halocline::collocation
