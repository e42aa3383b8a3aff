// What packs of neighboring nodes of a line need beside lib/base/pack.hpp: neighbors along the line, single lanes.
#pragma once

#include "lib/base/pack.hpp"

namespace halocline::fractional {

// load() of memory that is aligned to its values only.
template <class P>
HALOCLINE_HD inline P load_unaligned(const double* from) {
  if constexpr (is_pack<P>) {
    P p;
    for (int i = 0; i < P::registers; ++i)
      __builtin_memcpy(&p.r[i], from + i * (lanes / P::registers), sizeof(typename P::Register));
    return p;
  } else {
    return *from;
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
