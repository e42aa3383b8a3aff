// Bodies of weights.hpp.
#pragma once

#include <cmath>

#include "lib/amg/setup/point_layout.hpp"

namespace halocline::amg {

struct WeightRule {
  // The bound of isolated rows where `bound` is larger: these may have couplings that are not strong, as those of mass
  // matrices, whose sum is larger than the diagonal.
  static constexpr double most_of_isolated = 1.9;
  const double *diagonal, *sizes;
  const PointKind* kind;  // of own rows; null: none is isolated
  double omega, bound;
  HALOCLINE_HD static double size(double value) { return value < 0 ? -value : value; }
  HALOCLINE_HD double operator()(Index row) const {
    if (diagonal[row] == 0) return 1;  // the row is zero
    const double center = size(diagonal[row]), share = center / sizes[row];
    if (kind != nullptr && kind[row] == points::isolated) {
      if (sizes[row] == center) return 1;  // it has no couplings at all
      const double bounded = (bound < most_of_isolated ? bound : most_of_isolated) * share;
      return bounded < 1 ? bounded : 1;
    }
    const double bounded = bound * share;
    return bounded < omega ? bounded : omega;
  }
};

struct ScaleBody {
  WeightRule weight;
  double *left, *right, *inverse_left, *inverse_right;
  HALOCLINE_HD void operator()(Index row) const {
    const double a = weight.diagonal[row], s = a == 0 ? 0 : std::sqrt(weight(row) / WeightRule::size(a));
    const double inverse = a == 0 ? 0 : 1 / s;
    right[row] = s;
    inverse_right[row] = inverse;
    left[row] = a < 0 ? -s : s;
    inverse_left[row] = a < 0 ? -inverse : inverse;
  }
};

// Of one row or several: the smallest weight, and the largest sum of sizes on the scaled level.
struct WeightExtremes {
  double smallest, largest_row;
};
struct JoinExtremes {
  HALOCLINE_HD WeightExtremes operator()(const WeightExtremes& a, const WeightExtremes& b) const {
    return {a.smallest < b.smallest ? a.smallest : b.smallest,
            a.largest_row > b.largest_row ? a.largest_row : b.largest_row};
  }
};
struct ExtremesBody {
  WeightRule weight;
  HALOCLINE_HD WeightExtremes operator()(Index row) const {
    const double omega = weight(row), a = WeightRule::size(weight.diagonal[row]);
    return {omega, a == 0 ? 0 : omega * (weight.sizes[row] / a)};
  }
};

// Sums over 64 rows, few enough for a GPU to have many of them at a time.
struct SumWeightsBody {
  static constexpr Index rows_of_chunk = 64;
  WeightRule weight;
  Index rows;
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    const Index end = (chunk + 1) * rows_of_chunk < rows ? (chunk + 1) * rows_of_chunk : rows;
    double sum = 0;
    for (Index row = chunk * rows_of_chunk; row < end; ++row) sum += weight(row);
    sink.add(0, sum);
  }
};

struct CopyBody {
  const double* from;
  double* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = from[n]; }
};

}  // namespace halocline::amg
