// What becomes of the rows of a strip in registers. For .cu files.
#pragma once

#include "lib/linalg/strips/field_kernels.hpp"
#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

// Where the right-hand sides of rows lie that `to` takes the solution of.
template <class T>
__device__ __forceinline__ const T* right_sides(const strips::FieldValues<T>& to) {
  return to.data;
}
template <class Numbers>
__device__ __forceinline__ const typename Numbers::Slot* right_sides(const UpdateOf<Numbers>& to) {
  return to.slot;
}

// They are stored. U: double or float.
template <int Length, class T, class U>
__device__ __forceinline__ void take_rows(const strips::FieldValues<T>& to, Index at, Index stride, int rows,
                                          const U (&u)[most_rows<Length>]) {
  strips::each_row<most_rows<Length>, least_rows<Length>>(
      rows, [&](int i) { to.take(at + i * stride, static_cast<T>(u[i])); });
}

// UpdateOf::take() of all rows; what eight of them read is under way together, more would not fit into registers.
template <int Length, class Numbers, class U>
__device__ __forceinline__ void take_rows(const UpdateOf<Numbers>& to, Index at, Index stride, int rows,
                                          const U (&u)[most_rows<Length>]) {
  constexpr int at_once = 8;
#pragma unroll
  for (int begin = 0; begin < most_rows<Length>; begin += at_once) {
    typename Numbers::Field c[at_once];
    typename Numbers::Slot before[at_once];
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      const int i = begin + n;
      if (i >= most_rows<Length> || (i >= least_rows<Length> && i >= rows)) continue;
      c[n] = to.c[at + i * stride];
      before[n] = to.before == nullptr ? 0 : to.before[at + i * stride];
    }
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      const int i = begin + n;
      if (i >= most_rows<Length> || (i >= least_rows<Length> && i >= rows)) continue;
      to.take(at + i * stride, static_cast<typename Numbers::Line>(u[i]), before[n], c[n]);
    }
  }
}

}  // namespace halocline::fractional
