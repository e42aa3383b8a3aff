// Bodies of aggregates.hpp.
#pragma once

#include "lib/amg/setup/point_layout.hpp"
#include "lib/amg/setup/strong_rows_layout.hpp"
#include "lib/base/atomics.hpp"
#include "lib/base/hash.hpp"

namespace halocline::amg {

// Keys of rows while roots are chosen, 64 bits without a sign: 0 for rows that are out, from `undecided` on for those
// that may become roots, from `root` on for roots, so that a root is larger than all that are undecided.
namespace root_keys {
inline constexpr Bits undecided = Bits{1} << 62, root = Bits{3} << 62;
}

// A hash first, since constant stencils would make roots of neighbors one after the other; then the row's number on the
// finest level, of which 32 bits tell any two rows within two steps apart.
struct FirstKeyBody {
  StrongRows a;
  const Index* point;  // of own rows
  Index* key;
  HALOCLINE_HD void operator()(Index row) const {
    bool coupled = false;
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) coupled = coupled || a.strong[e] != 0;
    const auto number = static_cast<Bits>(point[row]);
    const Bits own = root_keys::undecided | mix64(number ^ 12345) >> 34 << 32 | (number & 0xFFFFFFFFu);
    key[a.rows.local(row)] = coupled ? static_cast<Index>(own) : 0;
  }
};

// The largest key of a row and those that it is coupled to.
struct LargestKeyBody {
  StrongRows a;
  const Index* key;
  Index* largest;
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row);
    auto most = static_cast<Bits>(key[own]);
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) {
      if (a.strong[e] == 0) continue;
      const auto other = static_cast<Bits>(key[a.rows.col[e]]);
      if (other > most) most = other;
    }
    largest[own] = static_cast<Index>(most);
  }
};

// `largest`: of all within two steps. Returns 1 if the row is still undecided.
struct DecideBody {
  const Index* largest;  // of own rows
  Index* key;
  HALOCLINE_HD int operator()(Index row) const {
    const auto own = static_cast<Bits>(key[row]), most = static_cast<Bits>(largest[row]);
    if (own < root_keys::undecided || own >= root_keys::root) return 0;
    if (most >= root_keys::root) {
      key[row] = 0;
    } else if (most == own) {
      key[row] = static_cast<Index>(root_keys::root | own);
    } else {
      return 1;
    }
    return 0;
  }
};

// Of own rows; see KindBody for the others.
struct IsRootBody {
  const Index* key;
  PointKind* kind;
  HALOCLINE_HD void operator()(Index row) const {
    kind[row] = static_cast<Bits>(key[row]) >= root_keys::root ? points::coarse : points::isolated;
  }
};

// Rows next to a root join it; of several, as rows of matrices that are not symmetric may have, the one of the largest
// coupling, the first of equal ones.
struct JoinRootBody {
  StrongRows a;
  const Index* root;  // of local columns: its number; -1: no root
  Index* joined;      // of local columns: the aggregate; -1: none
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row);
    Index to = root[own];
    double most = 0;
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1] && root[own] < 0; ++e) {
      const Index other = root[a.rows.col[e]];
      const double size = a.rows.val[e] < 0 ? -a.rows.val[e] : a.rows.val[e];
      if (a.strong[e] == 0 || other < 0 || !(size > most)) continue;
      most = size;
      to = other;
    }
    joined[own] = to;
  }
};

// The others join the aggregate that they are coupled to most, the one of the smaller root among equals.
struct JoinRestBody {
  StrongRows a;
  const Index* joined;
  Index* aggregate;  // of own rows
  HALOCLINE_HD Index of(Index e) const { return a.strong[e] != 0 ? joined[a.rows.col[e]] : -1; }

  // The sum over the couplings to an aggregate whose first one is entry e; 0 if another one was before.
  HALOCLINE_HD double coupling(Index begin, Index e, Index end) const {
    for (Index before = begin; before < e; ++before)
      if (of(before) == of(e)) return 0;
    double sum = 0;
    for (Index n = e; n < end; ++n)
      if (of(n) == of(e)) sum += a.rows.val[n] < 0 ? -a.rows.val[n] : a.rows.val[n];
    return sum;
  }

  HALOCLINE_HD void operator()(Index row) const {
    Index to = joined[a.rows.local(row)];
    const Index begin = a.rows.ptr[row], end = a.rows.ptr[row + 1];
    double most = 0;
    for (Index e = begin; e < end && joined[a.rows.local(row)] < 0; ++e) {
      if (of(e) < 0) continue;
      const double sum = coupling(begin, e, end);
      if (!(sum > most || (sum == most && of(e) < to))) continue;
      most = sum;
      to = of(e);
    }
    aggregate[row] = to;
  }
};

struct KindBody {
  const Index* aggregate;
  PointKind* kind;
  HALOCLINE_HD void operator()(Index row) const {
    if (kind[row] != points::coarse && aggregate[row] >= 0) kind[row] = points::fine;
  }
};

}  // namespace halocline::amg
