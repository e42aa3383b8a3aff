// Sums over stored increments in the arithmetic of the psi-Caputo CUDA paper's variants; in the ordinary one
// history_kernels.hpp has them.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"
#include "lib/problems/fractional/storage/node_kernels.hpp"

namespace halocline::fractional {

// Some stored increments to the far value of the next step, in units of a power of two:
// slot = unit ([adds] slot/unit + sum_m weights_m increment_m). Stored: what factors are rounded to.
template <class Stored, int N>
struct DirectVariantBody : GroupedNodes<DirectVariantBody<Stored, N>, N> {
  double* slot;
  Slots increments;
  int count;              // of increments
  const double* weights;  // in units, rounded already
  bool adds;
  double unit;

  template <class V>
  HALOCLINE_HD void node(Index at) const {
    using T = Computed<Stored>;
    using Q = Numbers<V, T>;
    Q far = adds ? static_cast<T>(1 / unit) * taken<Q>(slot + at) : none<Q>();
    for (int m = 0; m < count; ++m)
      far = fma(static_cast<T>(weights[m]), kept<Stored>(taken<Q>(increments.data[m] + at)), far);
    put(slot + at, static_cast<T>(unit) * far);
  }
};

}  // namespace halocline::fractional
