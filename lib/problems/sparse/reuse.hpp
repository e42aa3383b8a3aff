// What becomes of a preconditioner when the matrix of a sequence gets new values.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::sparse {

// none: all is set up anew. pattern: the hierarchy is refreshed. hierarchy: it is kept as it is. automatic: as the
// iterations tell.
enum class Reuse { none, pattern, hierarchy, automatic };

enum class Renewal { keep, refresh, set_up };

// Which solves the hierarchy is from.
struct HierarchyAge {
  Index set_up = 0, refreshed = 0;  // the solve of its set-up, and of its values
};

// For solve `next` of a matrix whose pattern stays. `first`: iterations of the first solve after the set-up, `last`:
// of the one before `next`. Automatic: kept while the last one took less than 1.5 times the first and 2; then
// refreshed; and set up anew where a refresh has not helped.
constexpr Renewal choose_renewal(Reuse reuse, const HierarchyAge& age, Index next, Index first, Index last) {
  if (reuse == Reuse::none) return Renewal::set_up;
  if (reuse == Reuse::pattern) return Renewal::refresh;
  if (reuse == Reuse::hierarchy || 2 * last < 3 * first + 4) return Renewal::keep;
  const bool just_refreshed = age.refreshed > age.set_up && age.refreshed == next - 1;
  return just_refreshed ? Renewal::set_up : Renewal::refresh;
}

}  // namespace halocline::sparse
