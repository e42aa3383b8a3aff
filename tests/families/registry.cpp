#include <array>

#include "lib/problems/costs/cost.hpp"
#include "lib/problems/restart_keys.hpp"
#include "tests/families/families.hpp"

namespace halocline {

std::span<const Family> families() {
  static const std::array<Family, 2> table{stepper_family(), ensemble_family()};
  return table;
}

std::span<const char* const> keys_free_on_restart(std::string_view family) {
  static constexpr std::array stepper{"stepper.end", "stepper.slice", "stepper.pause", "stepper.fail_rank", "verify"};
  static constexpr std::array ensemble{"ensemble.pause", "verify"};
  return family == "stepper" ? std::span<const char* const>(stepper) : std::span<const char* const>(ensemble);
}
CostModel cost_model(std::string_view) { return nullptr; }
PartsModel parts_model(std::string_view) { return nullptr; }
PartsCostsMaker parts_costs(std::string_view) { return nullptr; }

}  // namespace halocline
