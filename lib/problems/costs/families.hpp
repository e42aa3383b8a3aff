// The costs of the families, for the table in registry.cpp; what they rest on stands in docs/performance.
#pragma once

#include "lib/problems/costs/cost.hpp"

namespace halocline {

std::optional<Cost> collocation_cost(const Options& options, const Plan& plan, const CostSetting& setting);
std::unique_ptr<PartsCosts> collocation_parts(const Options& options);
std::optional<Cost> diffusion_cost(const Options& options, const Plan& plan, const CostSetting& setting);
Index diffusion_parts(const Options& options, Index most);
std::optional<Cost> fractional_cost(const Options& options, const Plan& plan, const CostSetting& setting);
std::unique_ptr<PartsCosts> fractional_step_costs(const Options& options);
Index fractional_parts(const Options& options, Index most);
std::optional<Cost> ode_ensemble_cost(const Options& options, const Plan& plan, const CostSetting& setting);
std::optional<Cost> sparse_cost(const Options& options, const Plan& plan, const CostSetting& setting);

}  // namespace halocline
