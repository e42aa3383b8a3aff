// Bodies of elimination.hpp.
#pragma once

#include "lib/base/hash.hpp"
#include "lib/base/types.hpp"

namespace halocline {

// One step of Gauss-Jordan elimination, from one matrix to another: row and column `pivot` change sides.
struct EliminationBody {
  const double* from;  // [row][column]
  double* to;
  Index size, pivot;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    const double inverse = 1 / from[pivot * size + pivot], column = from[i * size + pivot];
    to[i * size + j] = stepped(i, j, inverse, column);
  }
  void row(Index i, Index begin, Index end) const {
    const double inverse = 1 / from[pivot * size + pivot], column = from[i * size + pivot];
    for (Index j = begin; j < end; ++j) to[i * size + j] = stepped(i, j, inverse, column);
  }

 private:
  HALOCLINE_HD double stepped(Index i, Index j, double inverse, double column) const {
    if (i == pivot) return j == pivot ? inverse : from[pivot * size + j] * inverse;
    if (j == pivot) return -column * inverse;
    return from[i * size + j] - column * (from[pivot * size + j] * inverse);
  }
};

// Test vectors of 1 and -1, and what matrices make of them from the left: to_j = sum_i v_i m_ij.
struct SignsBody {
  double* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = (mix64(static_cast<unsigned long long>(n)) & 1) != 0 ? 1 : -1; }
};
struct FromLeftBody {
  const double *vectors, *matrix;
  double* to;
  Index size;
  HALOCLINE_HD void operator()(Index vector, Index j) const {
    const double* v = vectors + vector * size;
    double sum = 0;
    for (Index i = 0; i < size; ++i) sum += v[i] * matrix[i * size + j];
    to[vector * size + j] = sum;
  }
  void row(Index vector, Index begin, Index end) const {
    const double* v = vectors + vector * size;
    double* sums = to + vector * size;
    for (Index j = begin; j < end; ++j) sums[j] = 0;
    for (Index i = 0; i < size; ++i)
      for (Index j = begin; j < end; ++j) sums[j] += v[i] * matrix[i * size + j];
  }
};

}  // namespace halocline
