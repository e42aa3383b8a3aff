// Small dense matrices, one per lane: factors by elimination with partial pivoting, and solving with them.
//
// Every lane has pivots of its own: rows change places by selects, which are left out where no lane needs them. Lanes
// do not see each other: a system's bits do not depend on its neighbors.
#pragma once

#include "lib/problems/ode_ensemble/stepper/noise.hpp"

// Loops over a matrix are unrolled on GPUs where it is small, so that it stays in registers. `capacity` is in scope.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HALOCLINE_ODE_PRAGMA(text) _Pragma(#text)
#define HALOCLINE_ODE_SMALL HALOCLINE_ODE_PRAGMA(unroll(capacity <= 4 ? 64 : 1))
#else
#define HALOCLINE_ODE_SMALL
#endif

namespace halocline::ode_ensemble {
namespace {

// What factorize() leaves beside the factors, which take the place of the matrix.
template <class R, int capacity>
struct Pivots {
  R inverse[capacity];   // of the diagonal of U
  R row[capacity];       // step k exchanges rows k and row[k]
  bool moves[capacity];  // whether it does in any lane
};

// Exchanges a and b where the mask is set.
template <class R>
HALOCLINE_ODE void exchange(const MaskOf<R>& where, R& a, R& b) {
  const R before = a;
  a = select(where, b, a);
  b = select(where, before, b);
}

template <class R>
HALOCLINE_ODE MaskOf<R> is_row(const R& row, int i) {
  const R number(static_cast<double>(i));
  return both(row >= number, row <= number);
}

// L U = P A for A of n by n numbers by rows, n <= capacity; L has a diagonal of ones. A singular matrix gives numbers
// that are not finite.
template <int capacity, class R>
HALOCLINE_ODE void factorize(int n, R* a, Pivots<R, capacity>& p) {
  HALOCLINE_ODE_SMALL for (int k = 0; k < n; ++k) {
    R largest_size = fn_fabs(a[k * n + k]), row(static_cast<double>(k));
    HALOCLINE_ODE_SMALL for (int i = k + 1; i < n; ++i) {
      const R size = fn_fabs(a[i * n + k]);
      const MaskOf<R> larger = size > largest_size;
      largest_size = select(larger, size, largest_size);
      row = select(larger, R(static_cast<double>(i)), row);
    }
    p.row[k] = row;
    p.moves[k] = any(row > R(static_cast<double>(k)));
    if (p.moves[k]) {
      HALOCLINE_ODE_SMALL for (int i = k + 1; i < n; ++i) {
        const MaskOf<R> here = is_row(row, i);
        HALOCLINE_ODE_SMALL for (int j = 0; j < n; ++j) exchange(here, a[k * n + j], a[i * n + j]);
      }
    }
    p.inverse[k] = fn_divide(R(1.0), a[k * n + k]);
    HALOCLINE_ODE_SMALL for (int i = k + 1; i < n; ++i) {
      const R share = a[i * n + k] * p.inverse[k];
      a[i * n + k] = share;
      HALOCLINE_ODE_SMALL for (int j = k + 1; j < n; ++j) a[i * n + j] = a[i * n + j] - share * a[k * n + j];
    }
  }
}

// Solves A x = b in place of b.
template <int capacity, class R>
HALOCLINE_ODE void solve(int n, const R* a, const Pivots<R, capacity>& p, R* b) {
  HALOCLINE_ODE_SMALL for (int k = 0; k < n; ++k) {
    if (!p.moves[k]) continue;
    HALOCLINE_ODE_SMALL for (int i = k + 1; i < n; ++i) exchange(is_row(p.row[k], i), b[k], b[i]);
  }
  HALOCLINE_ODE_SMALL for (int i = 1; i < n; ++i) {
    R sum = b[i];
    HALOCLINE_ODE_SMALL for (int j = 0; j < i; ++j) sum = sum - a[i * n + j] * b[j];
    b[i] = sum;
  }
  HALOCLINE_ODE_SMALL for (int i = n - 1; i >= 0; --i) {
    R sum = b[i];
    HALOCLINE_ODE_SMALL for (int j = i + 1; j < n; ++j) sum = sum - a[i * n + j] * b[j];
    b[i] = sum * p.inverse[i];
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
