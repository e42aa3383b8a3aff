// Bodies of scan.hpp: a strip of values at a time.
#pragma once

#include "lib/base/view.hpp"

namespace halocline::scan_kernels {

struct Strips {
  View<Index, 1> values;
  Index length;
  HALOCLINE_HD Index count() const { return (values.extent[0] + length - 1) / length; }
  HALOCLINE_HD Index begin(Index strip) const { return strip * length; }
  HALOCLINE_HD Index end(Index strip) const {
    return (strip + 1) * length < values.extent[0] ? (strip + 1) * length : values.extent[0];
  }
};

struct SumStripBody {
  Strips strips;
  View<Index, 1> sums;
  HALOCLINE_HD void operator()(Index strip) const {
    Index sum = 0;
    for (Index i = strips.begin(strip); i < strips.end(strip); ++i) sum += strips.values(i);
    sums(strip) = sum;
  }
};

// `before`: of every strip, the sum of all before it; of no extent where there is one strip only.
struct ScanStripBody {
  Strips strips;
  View<Index, 1> before;
  HALOCLINE_HD void operator()(Index strip) const {
    Index sum = before.extent[0] > 0 ? before(strip) : 0;
    for (Index i = strips.begin(strip); i < strips.end(strip); ++i) {
      const Index value = strips.values(i);
      strips.values(i) = sum;
      sum += value;
    }
  }
};

}  // namespace halocline::scan_kernels
