#include "lib/problems/collocation/multigrid/banded_lu.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"

namespace halocline::collocation {

BandedLu::BandedLu(Index size, Index below, Index above)
    : size_(size),
      below_(below),
      above_(above),
      width_(2 * below + above + 1),
      rows_(static_cast<std::size_t>(size * width_), 0.0),
      pivots_(static_cast<std::size_t>(size)) {}

// Gaussian elimination by rows. Multipliers stay where they eliminate; an exchange moves the rows' remainders only, so
// that solve() repeats exchanges and eliminations step by step.
void BandedLu::factor() {
  double largest = 0;
  for (const double value : rows_) largest = std::max(largest, std::abs(value));
  for (Index k = 0; k < size_; ++k) {
    const Index last_row = std::min(size_ - 1, k + below_), count = std::min(size_ - k, below_ + above_ + 1);
    Index pivot = k;
    for (Index row = k + 1; row <= last_row; ++row)
      if (std::abs(at(row, k)) > std::abs(at(pivot, k))) pivot = row;
    pivots_[k] = pivot;
    if (!(std::abs(at(pivot, k)) > 1e-15 * largest))
      throw NumericalError("multigrid: the equations of the coarsest mesh are singular");
    if (pivot != k) std::swap_ranges(&at(k, k), &at(k, k) + count, &at(pivot, k));
    const double inverse = 1 / at(k, k);
    const double* from = &at(k, k);
    for (Index row = k + 1; row <= last_row; ++row) {
      double* to = &at(row, k);
      if (to[0] == 0) continue;
      const double times = to[0] *= inverse;
      for (Index n = 1; n < count; ++n) to[n] -= times * from[n];
    }
  }
}

void BandedLu::solve(double* x) const {
  const auto entry = [this](Index row, Index column) { return rows_[row * width_ + column - row + below_]; };
  for (Index k = 0; k < size_; ++k) {
    std::swap(x[k], x[pivots_[k]]);
    const Index last_row = std::min(size_ - 1, k + below_);
    for (Index row = k + 1; row <= last_row; ++row) x[row] -= entry(row, k) * x[k];
  }
  for (Index k = size_ - 1; k >= 0; --k) {
    const Index count = std::min(size_ - k, below_ + above_ + 1);
    const double* row = &rows_[k * width_ + below_];
    double sum = x[k];
    for (Index n = 1; n < count; ++n) sum -= row[n] * x[k + n];
    x[k] = sum / row[0];
  }
}

}  // namespace halocline::collocation
