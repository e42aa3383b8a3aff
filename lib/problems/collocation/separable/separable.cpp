#include "lib/problems/collocation/separable/separable.hpp"

#include <algorithm>
#include <functional>

#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/direct/closed_modes.hpp"
#include "lib/problems/collocation/direct/dense_modes.hpp"
#include "lib/problems/collocation/direct/direct_solver.hpp"
#include "lib/problems/collocation/direct/separability.hpp"
#include "lib/problems/collocation/discretization/coefficients.hpp"
#include "lib/problems/collocation/methods.hpp"

namespace halocline::collocation {

namespace {

// Up to rounding, as formulas that are constant in truth may leave.
bool equal_numbers(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least <= 1e-14 * std::max(-*least, *most);
}

// What is not touched by a negative definite operator is no resonance.
bool may_be_indefinite(const Axis& x, const AxisOperator& terms, const std::vector<double>& values) {
  const auto positive = [](double value) { return value > 0; };
  const auto wrong = [&x](End end) { return x.condition(end).alpha * x.condition(end).beta < 0; };
  return std::any_of(terms.eta.begin(), terms.eta.end(), positive) ||
         std::any_of(values.begin(), values.end(), positive) || wrong(End::low) || wrong(End::high);
}

}  // namespace

std::unique_ptr<SeparableInverse> make_separable_inverse(const Communicator& comm, const Team& team,
                                                         const std::vector<NodalBlock>& blocks, const Axis& x,
                                                         const Axis& y, const AxisOperator& terms,
                                                         const std::vector<double>& c, int threads) {
  std::vector<std::unique_ptr<AlongY>> along;
  std::vector<double> values;
  if (!no_closed_form(y) && equal_numbers(c)) {
    values = closed_mode_values(y, c.front());
    for (int p = 0; p < team.parts(); ++p) along.push_back(make_closed_along(y, blocks[p], team.executor(p)));
  } else {
    const PencilBasis basis = pencil_basis(y, c, comm);
    values = basis.values;
    for (int p = 0; p < team.parts(); ++p) along.push_back(make_dense_along(basis, blocks[p], team.executor(p)));
  }
  if (may_be_indefinite(x, terms, values))
    if (const auto fault = resonance_across(comm, x, terms, values, threads))
      throw NumericalError("collocation.solver.method: separable equations: " + *fault);
  return std::make_unique<SeparableInverse>(blocks, std::move(along),
                                            make_strip_across(comm, team, blocks, x, terms, values));
}

namespace {

// Per strip and mode: three numbers, factors and pivots. Of many parts each has them for a share of the modes, and in
// two exchanges five numbers of own strips and five of own modes, with buffers.
Index numbers_of_strips(Index strips, Index modes, Index lines, Index all_lines) {
  const Index parts = (all_lines + lines - 1) / lines, own = (strips + parts - 1) / parts + 1;
  if (parts < least_parts_that_share) return 9 * strips * modes;
  return 15 * own * modes + 21 * strips * (modes / lanes / parts + 1) * lanes;
}

}  // namespace

std::size_t separable_bytes(const Formulation& problem, Index lines, bool closed) {
  const Index nx = problem.x.elements(), ny = problem.y.elements();
  const NodalBlock block{0, lines, nx, ny};
  const Index basis = closed ? 0 : 8 * (ny + 1) * (ny + 9) + 512 * block.line_size();
  const Index strips = (nx + 1) / strip_length(nx) + 1, modes = 2 * mode_width(ny);
  return static_cast<std::size_t>(2 * block.size() + basis + numbers_of_strips(strips, modes, lines, nx + 1)) *
         sizeof(double);
}

bool separable_in_closed_form(const Formulation& problem) {
  return !no_closed_form(problem.y) && (problem.constants || equal_numbers(along_y(problem, 2)));
}

bool fitted_in_closed_form(const Formulation& problem) {
  if (no_closed_form(problem.y) || problem.nonlinear) return false;
  if (problem.constants) return true;
  constexpr std::size_t columns = 33;
  const std::vector<double>& points = problem.x.gauss();
  CoefficientColumn at;
  for (std::size_t i = 0; i < columns; ++i) {
    evaluate_coefficients(problem, points[i * (points.size() - 1) / (columns - 1)], problem.y, at);
    std::vector<double> ratio(at[0].size());
    std::transform(at[0].begin(), at[0].end(), at[2].begin(), ratio.begin(), std::divides<>());
    if (!equal_numbers(ratio)) return false;
  }
  return true;
}

LineCut in_strips(const Formulation& problem, const SolverOptions& /*options*/, int /*parts*/) {
  const Index strip = strip_length(problem.x.elements());
  return {strip, std::max<Index>(strip, 2)};
}

namespace {

std::optional<std::string> cannot(const Formulation& problem, const SolverOptions& /*options*/) {
  const auto fault = needs_constant_sides(problem);
  return fault ? fault : not_of_form(problem, "x0yx0x");
}

std::size_t bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  return separable_bytes(problem, lines, separable_in_closed_form(problem));
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& /*options*/) {
  DirectMethod method;
  method.name = "eigenvectors along y, banded systems across lines";
  method.bytes = 9 * 8 * problem.unknowns();
  method.make = [&context, &problem](const std::vector<NodalBlock>& blocks) {
    const AxisOperator terms{along_x(problem, 0), along_x(problem, 3), along_x(problem, 5)};
    return make_separable_inverse(context.comm, context.team, blocks, problem.x, problem.y, terms, along_y(problem, 2),
                                  context.all_threads());
  };
  return make_direct_solver(context, problem, std::move(method));
}

}  // namespace

constinit const MethodEntry separable_method{Method::separable, cannot, in_strips, bytes, make};

}  // namespace halocline::collocation
