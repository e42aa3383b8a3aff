// BandedLu: factors of a banded matrix with row pivoting, on the host.
#pragma once

#include <vector>

#include "lib/base/types.hpp"

namespace halocline::collocation {

class BandedLu {
 public:
  // A zero matrix with `below` diagonals below the main one and `above` above it.
  BandedLu(Index size, Index below, Index above);
  Index size() const { return size_; }
  // Entry (row, column), within the band; before factor().
  double& at(Index row, Index column) { return rows_[row * width_ + column - row + below_]; }
  // Throws NumericalError when the matrix is singular to working precision.
  void factor();
  void solve(double* x) const;  // x: right-hand side, then solution

 private:
  Index size_, below_, above_, width_;  // rows hold columns row - below .. row + above + below
  std::vector<double> rows_;
  std::vector<Index> pivots_;
};

}  // namespace halocline::collocation
