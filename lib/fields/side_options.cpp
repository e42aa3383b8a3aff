#include "lib/fields/side_options.hpp"

namespace halocline {

void describe_condition(Describer& d, SideCondition& condition, std::span<const char* const> names, FluxKind flux) {
  static constexpr auto words = texts_of<SideKind>();
  const bool known = flux == FluxKind::known;
  static_assert(words_of(SideKind{}).back().value == SideKind::flux);
  int kind = place_of(condition.kind);
  d.choice({"kind", "", "What is given.", true}, kind, std::span(words).first(words.size() - (known ? 0 : 1)));
  condition.kind = words_of(SideKind{})[static_cast<std::size_t>(kind)].value;
  d.formula(
      {"value", "1",
       known ? "dirichlet: c; neumann: its outward derivative; robin: the c outside, dc/dn = transfer (value - c); "
               "flux: what comes in, D dc/dn."
             : "dirichlet: c; neumann: its outward derivative; robin: the c outside, dc/dn = transfer (value - c)."},
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
