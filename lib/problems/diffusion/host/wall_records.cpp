#include "lib/problems/diffusion/host/wall_records.hpp"

#include <algorithm>

namespace halocline::diffusion {

template <class T>
WallRecords<T>::WallRecords(const ConvolveBlock<T>& block, const ConvolveMask<T>& mask) : block_(block), mask_(mask) {
  for (int axis = 0; axis < block.dimensions; ++axis)
    for (int side = 0; side < 2; ++side) {
      any_ = any_ || block.walls[axis][side].uptake;
      for (int ring = 0; ring < mask.radius[axis]; ++ring) taps_[axis][side].push_back(taps_beyond(axis, side, ring));
    }
}

// The weights of cell number `ring` from a wall that reach beyond it, in the order of record_uptake.
template <class T>
auto WallRecords<T>::taps_beyond(int axis, int side, int ring) const -> std::vector<Tap> {
  std::vector<Tap> taps;
  const int* r = mask_.radius;
  const T* w = mask_.weights;
  for (int dz = -r[2]; dz <= r[2]; ++dz)
    for (int dy = -r[1]; dy <= r[1]; ++dy)
      for (int dx = -r[0]; dx <= r[0]; ++dx, ++w) {
        const int across = (axis == 0 ? dx : axis == 1 ? dy : dz) * (side == 0 ? -1 : 1);
        if (*w != 0 && across > ring)
          taps.push_back({(dz + r[2]) * (2 * r[1] + 1) + dy + r[1], dx, static_cast<double>(*w)});
      }
  return taps;
}

template <class T>
int WallRecords<T>::near(int axis, Index position) const {
  const Index reach = mask_.radius[axis];
  const bool low = position < reach && block_.walls[axis][0].kind == WallKind::affine;
  const bool high = position >= block_.extent[axis] - reach && block_.walls[axis][1].kind == WallKind::affine;
  return (low ? 1 : 0) + (high ? 2 : 0);
}

template <class T>
bool WallRecords<T>::wanted(Index z, Index y, Index x_lo, Index x_hi) const {
  if (!any_) return false;
  if (near(0, x_lo) || near(0, x_hi - 1) || near(1, y)) return true;
  return block_.dimensions == 3 && near(2, z);
}

// Cells of one row, all at the same distance from one wall across y or z, `place` being that of x = 0.
template <class T>
void WallRecords<T>::along(const T* const* rows, Index x_origin, const WallRule<T>& wall, const std::vector<Tap>& taps,
                           Index place, Index x_lo, Index x_hi, double* gains) const {
  if (!wall.uptake || x_hi <= x_lo) return;
  const Index count = x_hi - x_lo, shift = x_lo - x_origin;
  const T* center = rows[(2 * mask_.radius[2] + 1) * (2 * mask_.radius[1] + 1) / 2] + shift;
  std::fill(gains, gains + count, 0.0);
  for (const Tap& tap : taps) {
    const T* from = rows[tap.row] + shift + tap.dx;
#pragma omp simd
    for (Index i = 0; i < count; ++i)
      gains[i] = fma(tap.weight, static_cast<double>(from[i]) - static_cast<double>(center[i]), gains[i]);
  }
  double *uptake = wall.uptake + place + x_lo, *carry = wall.carry + place + x_lo;
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    const double term = gains[i] - carry[i], sum = uptake[i] + term;
    carry[i] = (sum - uptake[i]) - term;
    uptake[i] = sum;
  }
}

// Cells near walls across x; `alone`: and near no other.
template <class T>
void WallRecords<T>::cells(const T* const* rows, Index x_origin, Index z, Index y, Index x_lo, Index x_hi,
                           bool alone) const {
  const int center = (2 * mask_.radius[2] + 1) * (2 * mask_.radius[1] + 1) / 2;
  for (Index x = x_lo; x < x_hi; ++x) {
    const int sides = near(0, x);
    const Index i = x - x_origin;
    if (!alone || sides == 3) {
      record_uptake(block_, mask_, RowsAround<T>{rows, mask_.radius[1], mask_.radius[2], i}, z, y, x);
      continue;
    }
    if (sides == 0) continue;
    const int side = sides == 1 ? 0 : 1;
    const Index ring = side == 0 ? x : block_.extent[0] - 1 - x;
    const WallRule<T>& wall = block_.walls[0][side];
    if (!wall.uptake) continue;
    double gain = 0;
    const double c = rows[center][i];
    for (const Tap& tap : taps_[0][side][static_cast<std::size_t>(ring)])
      gain = fma(tap.weight, static_cast<double>(rows[tap.row][i + tap.dx]) - c, gain);
    const Index place = wall.at(ring, z, y);
    const double term = gain - wall.carry[place], sum = wall.uptake[place] + term;
    wall.carry[place] = (sum - wall.uptake[place]) - term;
    wall.uptake[place] = sum;
  }
}

template <class T>
void WallRecords<T>::record(const T* const* rows, Index x_origin, Index z, Index y, Index x_lo, Index x_hi,
                            double* gains) const {
  const int near_y = near(1, y), near_z = block_.dimensions == 3 ? near(2, z) : 0;
  const bool affine_low = block_.walls[0][0].kind == WallKind::affine,
             affine_high = block_.walls[0][1].kind == WallKind::affine;
  const Index reach = mask_.radius[0], low = affine_low ? std::clamp(reach, x_lo, x_hi) : x_lo,
              high = affine_high ? std::clamp(block_.extent[0] - reach, low, x_hi) : x_hi;
  const bool one = (near_y == 1 || near_y == 2) != (near_z == 1 || near_z == 2) && (near_y == 0 || near_z == 0);
  const bool none = near_y == 0 && near_z == 0;
  cells(rows, x_origin, z, y, x_lo, low, none);
  if (one) {
    const int axis = near_y ? 1 : 2, side = (near_y | near_z) - 1;
    const Index position = axis == 1 ? y : z, ring = side == 0 ? position : block_.extent[axis] - 1 - position;
    const WallRule<T>& wall = block_.walls[axis][side];
    along(rows, x_origin, wall, taps_[axis][side][static_cast<std::size_t>(ring)], wall.at(ring, axis == 1 ? z : y, 0),
          low, high, gains);
  } else if (!none) {
    cells(rows, x_origin, z, y, low, high, false);
  }
  cells(rows, x_origin, z, y, high, x_hi, none);
}

template class WallRecords<double>;
template class WallRecords<float>;

}  // namespace halocline::diffusion
