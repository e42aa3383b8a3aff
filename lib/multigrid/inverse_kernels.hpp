// Bodies of the product with a dense inverse: partial sums over pieces of the columns, then their sums.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::multigrid {

// pieces x rows; M: of the inverse and of sums, T: of vectors.
template <class M, class T>
struct InverseBody {
  const M* matrix;  // [equation][row]
  const Index* places;
  const T* f;
  M* sums;  // [piece][row]
  Index equations, rows, length;
  HALOCLINE_HD void operator()(Index piece, Index row) const {
    const Index end = (piece + 1) * length < equations ? (piece + 1) * length : equations;
    M sum = 0;
    for (Index e = piece * length; e < end; ++e) sum += matrix[e * rows + row] * static_cast<M>(f[places[e]]);
    sums[piece * rows + row] = sum;
  }
  void row(Index piece, Index begin, Index end) const {
    const Index last = (piece + 1) * length < equations ? (piece + 1) * length : equations;
    M* to = sums + piece * rows;
    for (Index n = begin; n < end; ++n) to[n] = 0;
    for (Index e = piece * length; e < last; ++e) {
      const M value = f[places[e]];
      const M* from = matrix + e * rows;
#pragma omp simd
      for (Index n = begin; n < end; ++n) to[n] += from[n] * value;
    }
  }
};

// rows
template <class M, class T>
struct AddPiecesBody {
  const M* sums;
  Index pieces, rows;
  const Index* places;
  T* u;
  HALOCLINE_HD void operator()(Index row) const {
    M sum = 0;
    for (Index piece = 0; piece < pieces; ++piece) sum += sums[piece * rows + row];
    u[places[row]] = static_cast<T>(sum);
  }
};

}  // namespace halocline::multigrid
