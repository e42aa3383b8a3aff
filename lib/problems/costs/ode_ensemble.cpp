// What a step of all systems takes, by docs/performance/ode_ensemble.md: of methods whose steps have one size, so that
// their number is known.
#include "lib/problems/costs/families.hpp"

#include <cmath>

#include "lib/problems/ode_ensemble/formulation.hpp"

namespace halocline {
namespace ode_ensemble {

std::optional<Cost> cost(const Options& base, const Plan& /*plan*/, const CostSetting& setting) {
  const Formulation made = formulate(static_cast<const EnsembleOptions&>(base), nullptr);
  const Ensemble& run = made.base;
  if (!has_fixed_steps(made.method) || !made.length.is_constant() || !(run.step > 0)) return std::nullopt;
  const auto stages = static_cast<double>(stages_of(made.method)), states = static_cast<double>(made.system.states);
  // An update of every state with each stage, and the step made of all of them.
  const double updates = states * 2 * stages, noise = 25.0 * static_cast<double>(made.system.noise.size());
  const auto systems = std::ceil(static_cast<double>(made.sweep.systems()) / setting.parts);
  const double phases = static_cast<double>(run.transient + run.record);
  Cost cost;
  cost.units = std::ceil(made.length.value() / run.step * (1 - 1e-12)) * phases;
  const double operations = operations_of(made.system, false) * stages + updates + noise;
  cost.kernels = {{"systems", 0, 0, 0, operations * systems}, {"start of an ensemble", 1 / cost.units, 0, 0}};
  return cost;
}

}  // namespace ode_ensemble

std::optional<Cost> ode_ensemble_cost(const Options& options, const Plan& plan, const CostSetting& setting) {
  return ode_ensemble::cost(options, plan, setting);
}

}  // namespace halocline
