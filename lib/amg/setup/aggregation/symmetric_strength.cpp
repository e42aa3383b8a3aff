#include "lib/amg/setup/aggregation/symmetric_strength.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/aggregation/symmetric_strength_kernels.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/amg/setup/strength_kernels.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::amg {

Strength symmetric_strength(const sparse::DistCrs& a, double theta) {
  const Team& team = a.team();
  RowSizes sizes = row_sizes(a);
  LocalValues<double> strongest(a);
  team.each([&](int p) {
    launch(*team.executor(p), {"strongest couplings", 12.0 * static_cast<double>(a.view(p).entries())},
           up_to(a.rows().own_size(p)),
           StrongestBody{level_rows(a, p), std::as_const(sizes.diagonal[p]).view().data, strongest.own(p)});
  });
  GhostExchange<double>(a).forward(strongest);
  Strength::Flags strong(sizes.diagonal.size());
  std::vector<int> any(strong.size());
  team.each([&](int p) {
    const Index entries = a.view(p).entries();
    strong[p] = {team.executor(p), {entries}};
    any[p] = reduce(*team.executor(p), {"strength", 13.0 * static_cast<double>(entries)}, up_to(a.rows().own_size(p)),
                    0, Either{},
                    SymmetricBody{level_rows(a, p), std::as_const(sizes.diagonal[p]).view().data, strongest.data(p),
                                  theta, strong[p].view().data});
  });
  return {a, std::move(strong), std::move(sizes), std::find(any.begin(), any.end(), 1) != any.end()};
}

}  // namespace halocline::amg
