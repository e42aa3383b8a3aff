// The table of families: one line each.
#include <array>

#include "lib/problems/collocation/collocation.hpp"
#include "lib/problems/costs/families.hpp"
#include "lib/problems/diffusion/diffusion.hpp"
#include "lib/problems/fractional/fractional.hpp"
#include "lib/problems/ode_ensemble/ode_ensemble.hpp"
#include "lib/problems/problem.hpp"
#include "lib/problems/restart_keys.hpp"
#include "lib/problems/sparse/sparse.hpp"

namespace halocline {

std::span<const Family> families() {
  static const std::array<Family, 5> table{
      collocation_family(), diffusion_family(), fractional_family(), ode_ensemble_family(), sparse_family(),
  };
  return table;
}

// Ends that may be moved, what decides no number, and what is compared at the end. Where more of a solver decides, or
// an end only moves with other keys, Plan::formulas refuses the rest.
std::span<const char* const> keys_free_on_restart(std::string_view family) {
  static constexpr std::array collocation{"collocation.solver.tol", "collocation.solver.maxit",
                                          "collocation.solver.allow_indefinite", "collocation.newton.maxit", "verify"};
  static constexpr std::array diffusion{"diffusion.grid.parts",           "diffusion.time.end",
                                        "diffusion.time.steps_per_sweep", "diffusion.time.kernel",
                                        "diffusion.time.on_limit",        "verify"};
  static constexpr std::array fractional{
      "fractional.grid.parts",   "fractional.time.end",       "fractional.time.steps",
      "fractional.time.horizon", "fractional.solver.tol",     "fractional.solver.split_error",
      "fractional.solver.maxit", "fractional.history.vector", "verify"};
  static constexpr std::array ode_ensemble{"ode_ensemble.on_failure", "ode_ensemble.repeat.record",
                                           "ode_ensemble.record.trajectory", "verify"};
  static constexpr std::array sparse{"sparse.solver.tol",      "sparse.solver.atol", "sparse.solver.maxit",
                                     "sparse.sequence.solves", "sparse.measure",     "verify"};
  if (family == "collocation") return collocation;
  if (family == "diffusion") return diffusion;
  if (family == "fractional") return fractional;
  if (family == "ode_ensemble") return ode_ensemble;
  if (family == "sparse") return sparse;
  return {};
}

CostModel cost_model(std::string_view family) {
  if (family == "collocation") return collocation_cost;
  if (family == "diffusion") return diffusion_cost;
  if (family == "fractional") return fractional_cost;
  if (family == "ode_ensemble") return ode_ensemble_cost;
  if (family == "sparse") return sparse_cost;
  return nullptr;
}

PartsModel parts_model(std::string_view family) {
  if (family == "diffusion") return diffusion_parts;
  return family == "fractional" ? fractional_parts : nullptr;
}

PartsCostsMaker parts_costs(std::string_view family) {
  if (family == "collocation") return collocation_parts;
  return family == "fractional" ? fractional_step_costs : nullptr;
}

}  // namespace halocline
