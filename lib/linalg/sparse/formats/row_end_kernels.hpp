// Ends of products with sparse rows, see row_kernels.hpp: what is done with the sum of a row; and moves of vectors.
#pragma once

#include "lib/linalg/sparse/formats/row_layout.hpp"

namespace halocline::sparse {

template <class T>
struct StoreEnd {
  static constexpr int vectors = 1;  // that it reads or writes
  T* y;
  HALOCLINE_HD void operator()(Index i, T sum) const { y[i] = sum; }
};

// r = b - A x
template <class T>
struct ResidualEnd {
  static constexpr int vectors = 2;
  const T* b;
  T* r;
  HALOCLINE_HD void operator()(Index i, T sum) const { r[i] = b[i] - sum; }
};

// y = A x with (y, y) and (y, w)
struct DotsEnd {
  static constexpr int vectors = 2, sums = 2;
  double* y;
  const double* w;
  HALOCLINE_HD void operator()(Index i, double sum, double (&terms)[2]) const {
    y[i] = sum;
    terms[0] = sum * sum;
    terms[1] = sum * w[i];
  }
};

// y = A x with (x, y) and (x, w); `x` of own unknowns
struct EnergyEnd {
  static constexpr int vectors = 2, sums = 2;
  double* y;
  const double *x, *w;
  HALOCLINE_HD void operator()(Index i, double sum, double (&terms)[2]) const {
    y[i] = sum;
    terms[0] = x[i] * sum;
    terms[1] = x[i] * w[i];
  }
};

// w = A u with the sums of vector_sums.hpp: those of conjugate gradients, without and with qu; u of own unknowns.
struct EnergySumsEnd {
  static constexpr int vectors = 3, sums = 3;
  double* w;
  const double *u, *r;
  HALOCLINE_HD void operator()(Index i, double sum, double (&terms)[3]) const {
    w[i] = sum;
    terms[0] = u[i] * sum;
    terms[1] = u[i] * r[i];
    terms[2] = r[i] * r[i];
  }
};
struct EnergyAndLastSumsEnd {
  static constexpr int vectors = 4, sums = 4;
  double* w;
  const double *u, *r, *q;
  HALOCLINE_HD void operator()(Index i, double sum, double (&terms)[4]) const {
    w[i] = sum;
    terms[0] = u[i] * sum;
    terms[1] = u[i] * r[i];
    terms[2] = r[i] * r[i];
    terms[3] = u[i] * q[i];
  }
};
// t = A x with those of BiCGSTAB
struct StepSumsEnd {
  static constexpr int vectors = 3, sums = 5;
  double* t;
  const double *s, *r0;
  HALOCLINE_HD void operator()(Index i, double sum, double (&terms)[5]) const {
    t[i] = sum;
    terms[0] = sum * sum;
    terms[1] = sum * s[i];
    terms[2] = s[i] * s[i];
    terms[3] = sum * r0[i];
    terms[4] = s[i] * r0[i];
  }
};

// to[n] = from[place of n], or the other way round; `place` null: in the same order.
struct EnterBody {
  const double* from;
  const LocalIndex* place;
  double* to;
  HALOCLINE_HD void operator()(Index n) const { to[place != nullptr ? place[n] : n] = from[n]; }
};
struct LeaveBody {
  const double* from;
  const LocalIndex* place;
  double* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = from[place != nullptr ? place[n] : n]; }
};

}  // namespace halocline::sparse
