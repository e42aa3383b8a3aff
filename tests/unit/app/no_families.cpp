#include "lib/problems/costs/cost.hpp"
#include "lib/problems/problem.hpp"
#include "lib/problems/restart_keys.hpp"

namespace halocline {

std::span<const Family> families() { return {}; }
std::span<const char* const> keys_free_on_restart(std::string_view) { return {}; }
CostModel cost_model(std::string_view) { return nullptr; }
PartsModel parts_model(std::string_view) { return nullptr; }
PartsCostsMaker parts_costs(std::string_view) { return nullptr; }

}  // namespace halocline
