// Bodies for gpu/launch.hpp: weights of rows from their entries, and vectors times weights.
#pragma once

#include "lib/linalg/sparse/crs_layout.hpp"

namespace halocline::sparse {

// min(omega, bound |a_ii| / sum_j |a_ij|) / a_ii of every row, in its natural order; bound 0: omega / a_ii.
struct RowWeightBody {
  CrsView<double> a;
  Index below;  // ghosts below the own columns
  double omega, bound;
  View<double, 1> weights;
  HALOCLINE_HD void operator()(Index row) const {
    double diagonal = 0, sum = 0;
    for (Index e = a.ptr(row); e < a.ptr(row + 1); ++e) {
      const double value = a.val(e);
      if (a.col(e) - below == row) diagonal = value;
      sum += value < 0 ? -value : value;
    }
    const double size = diagonal < 0 ? -diagonal : diagonal, most = bound > 0 ? bound * size / sum : omega;
    weights(row) = (most < omega ? most : omega) / diagonal;
  }
};

// |w_i| sum_j |a_ij|: by Gershgorin no eigenvalue of diag(w) A is larger than the largest.
struct WeightedRowSumBody {
  CrsView<double> a;
  View<const double, 1> weights;
  HALOCLINE_HD double operator()(Index row) const {
    double sum = 0;
    for (Index e = a.ptr(row); e < a.ptr(row + 1); ++e) sum += a.val(e) < 0 ? -a.val(e) : a.val(e);
    return (weights(row) < 0 ? -weights(row) : weights(row)) * sum;
  }
};

struct LargerNumber {
  HALOCLINE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

// y = w x
struct WeighBody {
  View<const double, 1> w, x;
  View<double, 1> y;
  HALOCLINE_HD void operator()(Index i) const { y(i) = w(i) * x(i); }
};

// d = b d + c w r, y += d
struct ChebyshevBody {
  View<const double, 1> w, r;
  double b, c;
  View<double, 1> d, y;
  HALOCLINE_HD void operator()(Index i) const {
    d(i) = b * d(i) + c * (w(i) * r(i));
    y(i) += d(i);
  }
};

}  // namespace halocline::sparse
