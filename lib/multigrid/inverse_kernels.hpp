// Bodies of the product with a dense inverse: partial sums over pieces of the columns, then their sums.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::multigrid {

// pieces x rows
template <class T>
struct InverseBody {
  const T* matrix;  // [equation][row]
  const Index* places;
  const T* f;
  T* sums;  // [piece][row]
  Index equations, rows, length;
  HALOCLINE_HD void operator()(Index piece, Index row) const {
    const Index end = (piece + 1) * length < equations ? (piece + 1) * length : equations;
    T sum = 0;
    for (Index e = piece * length; e < end; ++e) sum += matrix[e * rows + row] * f[places[e]];
    sums[piece * rows + row] = sum;
  }
  void row(Index piece, Index begin, Index end) const {
    const Index last = (piece + 1) * length < equations ? (piece + 1) * length : equations;
    T* to = sums + piece * rows;
    for (Index n = begin; n < end; ++n) to[n] = 0;
    for (Index e = piece * length; e < last; ++e) {
      const T value = f[places[e]];
      const T* from = matrix + e * rows;
#pragma omp simd
      for (Index n = begin; n < end; ++n) to[n] += from[n] * value;
    }
  }
};

// rows
template <class T>
struct AddPiecesBody {
  const T* sums;
  Index pieces, rows;
  const Index* places;
  T* u;
  HALOCLINE_HD void operator()(Index row) const {
    T sum = 0;
    for (Index piece = 0; piece < pieces; ++piece) sum += sums[piece * rows + row];
    u[places[row]] = sum;
  }
};

}  // namespace halocline::multigrid
