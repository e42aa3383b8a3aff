// A block with rows of its neighbors along y as its own, for kernels that take several steps at once and know neighbors
// along the slow axis alone, or none along y. Beyond these rows it ends at walls that mean nothing: their values spoil
// a row more, times the radius of the mask, in every step, and reach no own row in the steps that the rows are for.
//
// What is computed of the rows of neighbors goes to the ghosts of the new state, which are exchanged next, and to
// places of walls that no one sums up.
#pragma once

#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

/// The rule of a wall for positions that begin `slow`, `fast` earlier.
template <class T>
WallRule<T> moved(WallRule<T> rule, Index slow, Index fast) {
  const Index by = slow * rule.slow + fast;
  for (const T** table : {&rule.alpha, &rule.beta, &rule.fixed})
    if (*table != nullptr) *table -= by;
  for (double** record : {&rule.uptake, &rule.carry})
    if (*record != nullptr) *record -= by;
  return rule;
}

/// `more` <= rim rows beyond either side of y that is open; Field gives such sides tables for this.
template <class T>
ConvolveBlock<T> extended_along_y(const ConvolveBlock<T>& block, Index more) {
  ConvolveBlock<T> b = block;
  if (b.dimensions < 3) return b;
  const bool low = b.walls[1][0].kind == WallKind::open, high = b.walls[1][1].kind == WallKind::open;
  const Index below = low ? more : 0;
  b.extent[1] += below + (high ? more : 0);
  b.c -= below * b.pitch;
  b.next -= below * b.pitch;
  for (int side = 0; side < 2; ++side) {
    b.walls[0][side] = moved(b.walls[0][side], 0, below);
    b.walls[2][side] = moved(b.walls[2][side], below, 0);
  }
  if (low) b.walls[1][0].kind = WallKind::affine;
  if (high) b.walls[1][1].kind = WallKind::affine;
  return b;
}

}  // namespace halocline::diffusion
