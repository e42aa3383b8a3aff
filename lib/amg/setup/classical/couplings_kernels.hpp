// Body of couplings.hpp.
#pragma once

#include "lib/amg/setup/classical/coupling_layout.hpp"
#include "lib/amg/setup/strong_rows_layout.hpp"
#include "lib/base/view.hpp"

namespace halocline::amg {

// Without branches in its loop: of which kind a neighbor is, is as good as random. Pointers are copied, since bytes
// that are written may alias everything.
struct CouplingsBody {
  StrongRows a;
  const PointKind* kind;        // of local columns
  const LocalIndex* component;  // the same; null: all rows are of one
  Coupling* coupling;
  View<Index, 1> coarse, fine;  // counts
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row);
    const LocalIndex *const col = a.rows.col, *const components = component;
    const PointKind* const kinds = kind;
    const unsigned char* const strong = a.strong;
    Coupling* const to = coupling;
    Index to_coarse = 0, to_fine = 0;
    if (kinds[own] == points::fine) {
      const Index end = a.rows.ptr[row + 1];
      for (Index e = a.rows.ptr[row]; e < end; ++e) {
        const LocalIndex column = col[e];
        const int apart = components != nullptr && components[own] != components[column] ? 1 : 0;
        const int is_strong = strong[e], other = kinds[column] == points::coarse ? 0 : 1;
        const int center = column == own ? 1 : 0;
        // The center is neither strong nor apart.
        const int which = couplings::weak - apart + is_strong * (1 + other) + center * (couplings::center - 1);
        to[e] = static_cast<Coupling>(which);
        to_coarse += is_strong * (1 - other);
        to_fine += is_strong * other + center;
      }
    }
    coarse(row) = to_coarse;
    fine(row) = to_fine;
  }
};

static_assert(couplings::weak == couplings::apart + 1 && couplings::coarse == couplings::weak + 1 &&
              couplings::fine == couplings::coarse + 1);

}  // namespace halocline::amg
