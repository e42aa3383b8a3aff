// WallRecords: what cells near walls gain through them, row by row; the bits of record_uptake(), faster.
//
// A cell near one wall alone adds the weights that reach beyond it, known beforehand; cells near several walls
// (corners, thin grids) take record_uptake() itself.
#pragma once

#include <vector>

#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

// Neighbors of the cells of a row through pointers to the rows around it, as row kernels take them.
template <class T>
struct RowsAround {
  const T* const* rows;
  int reach_y, reach_z;
  Index i;  // of the cell, from where the pointers show to
  T operator()(int dz, int dy, int dx) const { return rows[(dz + reach_z) * (2 * reach_y + 1) + dy + reach_y][i + dx]; }
};

template <class T>
class WallRecords {
 public:
  WallRecords(const ConvolveBlock<T>& block, const ConvolveMask<T>& mask);
  bool any() const { return any_; }

  // Whether some cell of row (z, y) in [x_lo, x_hi) is near a wall.
  bool wanted(Index z, Index y, Index x_lo, Index x_hi) const;
  // Records the step of the cells [x_lo, x_hi) of row (z, y). `rows` show to column x_origin. `gains`: room for
  // x_hi - x_lo numbers.
  void record(const T* const* rows, Index x_origin, Index z, Index y, Index x_lo, Index x_hi, double* gains) const;

 private:
  struct Tap {
    int row, dx;
    double weight;
  };
  std::vector<Tap> taps_beyond(int axis, int side, int ring) const;
  int near(int axis, Index position) const;  // bit 0: near the low wall, bit 1: near the high one
  void along(const T* const* rows, Index x_origin, const WallRule<T>& wall, const std::vector<Tap>& taps, Index place,
             Index x_lo, Index x_hi, double* gains) const;
  void cells(const T* const* rows, Index x_origin, Index z, Index y, Index x_lo, Index x_hi, bool alone) const;

  const ConvolveBlock<T>& block_;
  const ConvolveMask<T>& mask_;
  bool any_ = false;
  std::vector<std::vector<Tap>> taps_[3][2];  // [axis][side][ring]
};

}  // namespace halocline::diffusion
