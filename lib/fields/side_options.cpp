#include "lib/fields/side_options.hpp"

namespace halocline {

void describe_condition(Describer& d, SideCondition& condition, std::span<const char* const> names) {
  d.choice({"kind", "", "What is given.", true}, condition.kind);
  d.formula({"value", "1",
             "dirichlet: c; neumann: its outward derivative; robin: the c outside, dc/dn = transfer (value - c)."},
            condition.value, names);
  d.item({"transfer", "1/length", "robin: transfer coefficient over D."}, condition.transfer, Bounds::at_least(0));
}

void check_condition(const SideCondition& condition, const std::string& path, const std::string& holder,
                     Faults& faults) {
  const bool wanted = wants_value(condition.kind), robin = condition.kind == SideKind::robin;
  if (wanted && !condition.value.given()) faults.at(path, "lacks `value`");
  if (!wanted && condition.value.given()) faults.at(path + ".value", "has no meaning for " + holder);
  if (robin && condition.transfer < 0) faults.at(path, "lacks `transfer`");
  if (!robin && condition.transfer >= 0) faults.at(path + ".transfer", "belongs to kind robin");
}

}  // namespace halocline
