// Bodies of PMIS; see pmis.hpp.
#pragma once

#include "lib/amg/setup/point_layout.hpp"
#include "lib/amg/setup/strong_rows_layout.hpp"
#include "lib/base/atomics.hpp"
#include "lib/base/hash.hpp"

namespace halocline::amg {

// Sets the same number at all local columns.
struct ClearBody {
  LocalIndex* values;
  HALOCLINE_HD void operator()(Index n) const { values[n] = 0; }
};

// How many rows of this part depend on each local column.
struct CountDependentsBody {
  StrongRows a;
  LocalIndex* count;
  HALOCLINE_HD void operator()(Index row) const {
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e)
      if (a.strong[e] != 0) atomic_add(count + a.rows.col[e], LocalIndex{1});
  }
};

// Many dependents first, then a hash, which ties of constant stencils need: their counts are equal everywhere.
struct FirstKindBody {
  StrongRows a;
  const LocalIndex* count;  // of local columns
  const Index* point;       // of own rows
  Index* key;               // 64 bits without a sign
  PointKind* kind;
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row), dependents = count[own];
    const auto most = static_cast<Bits>(dependents < 65535 ? dependents : 65535);
    key[own] = static_cast<Index>(most << 48 | mix64(static_cast<Bits>(point[row]) ^ 12345) >> 16);
    bool depends = false;
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1] && !depends; ++e) depends = a.strong[e] != 0;
    if (dependents > 0) {
      kind[own] = points::undecided;
    } else {
      kind[own] = depends ? points::fine : points::isolated;
    }
  }
};

// Of two undecided rows that are coupled strongly, the one of the smaller key is beaten.
struct BeatBody {
  StrongRows a;
  const PointKind* kind;
  const Index* key;
  LocalIndex* beaten;
  // Local numbers ascend with the numbers on the finest level.
  HALOCLINE_HD bool beats(LocalIndex one, LocalIndex other) const {
    const auto x = static_cast<Bits>(key[one]), y = static_cast<Bits>(key[other]);
    return x != y ? x > y : one > other;
  }
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row);
    if (kind[own] != points::undecided) return;
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) {
      const LocalIndex other = a.rows.col[e];
      if (a.strong[e] != 0 && kind[other] == points::undecided)
        atomic_set(beaten + (beats(own, other) ? other : own), LocalIndex{1});
    }
  }
};

struct ChooseBody {
  const LocalIndex* beaten;
  PointKind* kind;
  HALOCLINE_HD void operator()(Index own) const {
    if (kind[own] == points::undecided && beaten[own] == 0) kind[own] = points::coarse;
  }
};

// Undecided rows that depend on a C-point are decided.
struct FollowBody {
  StrongRows a;
  const PointKind* kind;
  LocalIndex* follows;
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row);
    bool found = false;
    if (kind[own] == points::undecided)
      for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1] && !found; ++e)
        found = a.strong[e] != 0 && kind[a.rows.col[e]] == points::coarse;
    follows[own] = found ? 1 : 0;
  }
};

// Returns 1 if the row is still undecided.
struct SettleBody {
  const LocalIndex* follows;
  PointKind* kind;
  HALOCLINE_HD int operator()(Index own) const {
    if (kind[own] != points::undecided) return 0;
    if (follows[own] != 0) kind[own] = points::fine;
    return follows[own] == 0 ? 1 : 0;
  }
};

}  // namespace halocline::amg
