#include "lib/problems/diffusion/balance/mass_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halocline::diffusion {

void add_gains(Findings& findings, const BalanceOf& of, const Measures& m, int dimensions) {
  for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(dimensions); ++side)
    if (m.uptake[side] != 0) findings.add("uptake" + of.suffix + "." + side_names[side], of.unit, m.uptake[side]);
  if (m.source) findings.add("source" + of.suffix, of.unit, *m.source);
}

void add_gap(Findings& findings, const BalanceOf& of, const Measures& m) {
  const double made = m.source.value_or(0), gap = std::abs(m.mass - of.at_start - m.total_uptake - made);
  const double scale = std::max({of.full, std::abs(of.at_start), std::abs(m.total_uptake), std::abs(made)});
  const double relative = scale > 0 ? gap / scale : gap;
  const std::string name = "mass_balance" + of.suffix;
  if (of.limit > 0) return findings.check(name, "1", relative, 0, of.limit);
  findings.add(name, "1", relative);
}

void add_missing(Findings& findings, const std::string& of, const std::string& key) {
  findings.add("mass_balance", "not kept " + of + ", for its cost, unless " + key + " asks for it",
               std::numeric_limits<double>::quiet_NaN());
}

}  // namespace halocline::diffusion
