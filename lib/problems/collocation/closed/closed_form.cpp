// Method closed_form: equal elements, constant a, c, eta and nothing else, each axis Dirichlet or Neumann at both ends.
//
// Modes along y by transforms; across lines by growing and decaying solutions in strips (wave_modes.hpp) where no mode
// oscillates, else by transforms along x.
//
// One application in double precision, whatever solver.precision says: transforms in single precision would need a
// second application and a residual, which move more bytes. A solve reads f and writes x, and reads and writes x
// twice: 6 vectors; strips read x once more. With several parts all modes travel twice where lines are transformed
// along x, see AcrossByColumns.
#include "lib/problems/collocation/closed/wave_modes.hpp"
#include "lib/problems/collocation/closed/wave_tables.hpp"
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

// Whether strips take the place of transforms along x: by the equation alone, so that no partition changes digits.
bool in_strips(const Formulation& problem) {
  const auto& k = *problem.constants;
  return only_waves(k[0], k[2], k[5]);
}

LineCut cut(const Formulation& problem, const SolverOptions& options, int parts) {
  if (!in_strips(problem)) return in_lines(problem, options, parts);
  const Index strip = wave_strip_length(problem.x.elements());
  return {strip, strip};
}

// Of transforms along y: tables, and what a thread of a host, or a GPU whose blocks hold no such lines, works in.
// Each further thread takes as much as the first.
Index transform_numbers(Index lines, Index n) {
  constexpr Index longest_in_block = 7000, between_passes = (Index{24} << 20) / Index{sizeof(double)};
  const Index thread = 4 * lanes * n, passes = n > longest_in_block ? std::min(between_passes, 4 * lines * n) : 0;
  return 16 * n + std::max(thread, passes);
}

std::size_t bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  const Index nx = problem.x.elements(), ny = problem.y.elements();
  const NodalBlock block{0, lines, nx, ny};
  const bool strips = in_strips(problem);
  // f and x; with several parts the turned modes and two exchanges' buffers; workers' transforms.
  const Index vectors = strips || lines == nx + 1 ? 2 : 2 + 5;
  const Index more =
      strips ? wave_numbers(lines, nx + 1, ny) + transform_numbers(lines, ny) : 64 * 4 * std::max(nx, ny);
  return static_cast<std::size_t>(vectors * block.size() + more) * sizeof(double);
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& /*options*/) {
  DirectMethod method;
  const bool strips = in_strips(problem);
  method.name = strips ? "closed form: sine and cosine transforms along y, waves across lines"
                       : "closed form by sine and cosine transforms";
  method.bytes = 6 * 8 * problem.unknowns();
  method.make = [&context, &problem, strips](const std::vector<NodalBlock>& blocks) {
    const auto& k = *problem.constants;
    std::vector<std::unique_ptr<AlongY>> along;
    for (int p = 0; p < context.team.parts(); ++p)
      along.push_back(make_closed_along(problem.y, blocks[p], context.team.executor(p)));
    const std::vector<double> values = closed_mode_values(problem.y, k[2]);
    return std::make_unique<SeparableInverse>(
        blocks, std::move(along),
        strips ? make_wave_across(context.comm, context.team, blocks, problem.x, k[0], k[5], values)
               : make_closed_across(context.comm, context.team, blocks, problem.x, k[0], k[5], values));
  };
  return make_direct_solver(context, problem, std::move(method));
}

}  // namespace

constinit const MethodEntry closed_form_method{Method::closed_form, cannot, cut, bytes, make};

}  // namespace halocline::collocation
