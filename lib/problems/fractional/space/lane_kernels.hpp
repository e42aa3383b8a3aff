// What packs of neighboring nodes of a line need beside lib/base/pack.hpp: neighbors along the line, single lanes.
#pragma once

#include "lib/problems/fractional/space/convert_kernels.hpp"

namespace halocline::fractional {

// load_as() of memory that is aligned to its values only.
template <class P, class Stored>
HALOCLINE_HD inline P load_unaligned(const Stored* from) {
  if constexpr (is_pack<P>) {
    using Q = Like<P, Stored>;
    Q q;
    for (int i = 0; i < Q::registers; ++i)
      __builtin_memcpy(&q.r[i], from + i * (lanes / Q::registers), sizeof(typename Q::Register));
    return converted<P>(q);
  } else {
    return load_as<P>(from);
  }
}

// With another value in a lane; a number is its only lane.
HALOCLINE_HD inline double with_lane(double /*p*/, int /*lane*/, double value) { return value; }
template <class T>
HALOCLINE_HD inline Pack<T> with_lane(Pack<T> p, int lane, T value) {
  lane_of(p, lane) = value;
  return p;
}

}  // namespace halocline::fractional
