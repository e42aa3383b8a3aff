#include "lib/problems/fractional/formulation.hpp"

#include <algorithm>
#include <array>

#include "lib/problems/fractional/reading.hpp"

namespace halocline::fractional {

Reading::Reading(const FractionalOptions& options, Faults& faults)
    : options_(options), next_(faults), scope_(variables, options.block.names, scope_faults_) {}

void Reading::at(std::string_view path, const std::string& message) {
  ++count_;
  next_.at(path, message);
}

void Reading::at(const Place& place, const std::string& message) {
  ++count_;
  next_.at(place, message);
}

std::optional<Expression> Reading::parse(const Formula& formula, std::span<const char* const> allowed) {
  std::vector<FormulaFault> found;
  auto expression = scope_.parse(formula, allowed, found);
  for (const FormulaFault& one : found) at(one.place, one.text());
  return found.empty() ? expression : std::nullopt;
}

Coefficient Reading::coefficient(const Formula& formula, std::span<const char* const> allowed, double otherwise) {
  if (!formula.given()) return {otherwise, {}};
  const auto expression = parse(formula, allowed);
  return expression ? coefficient_of(*expression) : Coefficient{};
}

Program program_of(const Expression& expression) {
  const std::array<Expression, 1> one{expression};
  return Program(one, static_cast<int>(variables.size()));
}

Coefficient coefficient_of(const Expression& expression) {
  if (expression.is_constant()) return {expression.value(), {}};
  return {0, program_of(expression)};
}

bool Formulation::driven() const {
  const auto uses = [](const Coefficient& of, int variable) { return !of.constant() && of.formula->uses(variable); };
  return uses(source, variable_t) || uses(source, variable_c) ||
         std::any_of(sides.begin(), sides.end(), [&](const Side& side) { return uses(side.value, variable_t); });
}

bool Formulation::closed() const {
  for (int side = 0; side < 6; ++side) {
    const SideKind kind = sides[static_cast<std::size_t>(side)].kind;
    if (kind == SideKind::periodic) continue;
    if (kind != SideKind::no_flux || !velocity[static_cast<std::size_t>(side / 2)].zero()) return false;
  }
  return true;
}

Weights Formulation::weights(std::vector<Medium> media) const {
  return {levels, Derivative{scheme, std::move(media), order_of_time, gamma}};
}

std::optional<Formulation> formulate(const FractionalOptions& options, Faults& faults) {
  Reading reading(options, faults);
  Formulation f;
  read_grid(reading, f);
  read_sides(reading, f);
  read_equation(reading, f);
  read_time(reading, f);
  read_history(reading, f);
  check_published(reading, f);
  read_precision(reading, f);
  read_verify(reading, f);
  if (reading.faults() == 0) check_node_values(reading, f);
  return reading.faults() > 0 ? std::nullopt : std::optional(std::move(f));
}

Formulation formulate(const FractionalOptions& options) {
  ThrownFaults faults;
  return *formulate(options, faults);
}

}  // namespace halocline::fractional
