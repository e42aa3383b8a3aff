// Lines of tridiagonal systems cut into strips: elimination inside a strip. How strips find their neighbors is in
// tree_kernels.hpp; u is the solution of a line and L, R are its values in the rows before and behind a strip.
//
// Everything is a template over P, a Pack<T> or a T, and every product that is added is an fma, so that a strip gives
// the same bits wherever it is solved: on any part, in registers or from memory, on the host or on a GPU.
//
// A row reads   diagonal u_i = right + before u_{i-1} + behind u_{i+1}.   Elimination from the first row of a strip on
// leaves u_i = g_i + v_i L + e_i u_{i+1}, and sums with the products q_i of the e before i are the first row's share:
//   reduce:   g, v, e of the rows;  first row: (sum q_i g_i) + (sum q_i v_i) L + (product of all e) R
//             last row: g + v L + e R
//   resolve:  u_i = e_i u_{i+1} + (v_i L + g_i) from the last row, where u_{i+1} = R, to the first
// That is u = g + v L + w R, in the order of the Thomas algorithm.
#pragma once

#include "lib/base/fma.hpp"
#include "lib/base/pack.hpp"

namespace halocline::strips {

// Where the strips of a line begin, floor(s * rows / count): `length` rows in each, one more in `longer` of them.
struct StripLayout {
  Index rows = 0, count = 0;
  unsigned length = 0, longer = 0;
  HALOCLINE_HD Index begin(Index s) const {
    const auto strip = static_cast<unsigned>(s);  // 32 bits, in which division is fast
    return strip * length + strip * longer / static_cast<unsigned>(count);
  }
  HALOCLINE_HD int size(Index s) const { return static_cast<int>(begin(s + 1) - begin(s)); }
};
constexpr int longest_strip = 33;  // rows

// The type of numbers in a P.
template <class P>
struct NumberIn {
  using Type = P;
};
template <class T>
struct NumberIn<Pack<T>> {
  using Type = T;
};
template <class P>
using NumberOf = typename NumberIn<P>::Type;

// An array of P on the stack of a body, in registers of a GPU. Compilers copy packs by halves of registers, which then
// wait for each other: hence load() and store().
template <class P, int N>
struct LocalValues {
  static constexpr int width = sizeof(P) / sizeof(NumberOf<P>);
  alignas(sizeof(P) < 64 ? sizeof(P) : 64) NumberOf<P> data[N * width];
  HALOCLINE_HD P get(Index i) const { return load<P>(data + i * width); }
  HALOCLINE_HD void set(Index i, const P& value) { store(data + i * width, value); }
};

// A value each in the first and the last row of a strip, or of neighboring strips joined to a node of the tree.
template <class P>
struct Ends {
  P first, last;
};
// How a strip or node answers to its right-hand side, to L = 1 and to R = 1.
template <class P>
struct Response {
  Ends<P> g, v, w;
};

// A row whose coefficients are its own. Those at the ends of a line that is not periodic lead nowhere: L = R = 0.
template <class P>
struct LineRow {
  P before, diagonal, behind, right;
};
// What elimination leaves of a row:  u_i = known + e u_{i+1}  once L is known.
template <class P>
struct KnownRow {
  P known, e;
};
template <class P>
struct EliminatedRow {
  P g, v, e;
  HALOCLINE_HD KnownRow<P> knowing(const P& L) const { return {fma(v, L, g), e}; }
};

// Factors of elimination for lines that have their coefficients in common.
enum StripFactor : int {
  inverse,  // of the pivot
  lower,    // before / pivot
  left,     // v
  upper,    // e
  weight,   // q
  strip_factors
};
template <class T>
struct StripTable {
  const T* data = nullptr;
  Index factor_stride = 0, row_stride = 0, strip_stride = 0;
  HALOCLINE_HD T operator()(StripFactor factor, int row, Index strip) const {
    return data[factor * factor_stride + row * row_stride + strip * strip_stride];
  }
};

HALOCLINE_HD inline double reciprocal(double a) { return 1 / a; }
HALOCLINE_HD inline float reciprocal(float a) { return 1 / a; }
template <class T>
HALOCLINE_HD inline Pack<T> reciprocal(Pack<T> a) {
  for (int i = 0; i < Pack<T>::registers; ++i) a.r[i] = 1 / a.r[i];
  return a;
}
HALOCLINE_HD inline double minus(double a) { return -a; }
HALOCLINE_HD inline float minus(float a) { return -a; }
template <class T>
HALOCLINE_HD inline Pack<T> minus(const Pack<T>& a) {
  return T{-1} * a;  // exact, and no difference that a compiler could fuse
}
HALOCLINE_HD inline double one_like(double) { return 1; }
HALOCLINE_HD inline float one_like(float) { return 1; }
template <class T>
HALOCLINE_HD inline Pack<T> one_like(Pack<T> p) {
  for (int i = 0; i < Pack<T>::registers; ++i) p.r[i] = T{1} - typename Pack<T>::Register{};
  return p;
}

// f(i) for the rows of a strip, of which there are `rows`, from Least to Most; unrolled on a GPU, where arrays of Most
// values that f indexes stay in registers.
template <int Most, int Least = 0, class F>
HALOCLINE_HD inline void each_row(int rows, const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
  for (int i = 0; i < Most; ++i)
    if (i < Least || i < rows) f(i);
#else
  for (int i = 0; i < rows; ++i) f(i);
#endif
}
template <int Most, int Least = 0, class F>
HALOCLINE_HD inline void each_row_back(int rows, const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
  for (int i = Most - 1; i >= 0; --i)
    if (i < Least || i < rows) f(i);
#else
  for (int i = rows - 1; i >= 0; --i) f(i);
#endif
}

// Common coefficients. table(factor, i, s): of row i of strip s. Ends of g of the rows before i, which are zero before
// the first, to those with row i, whose right-hand side is `right`.
template <class P, class Table>
HALOCLINE_HD inline void reduce_row(const Table& table, Index s, int i, const P& right, Ends<P>& ends) {
  ends.last = fma(table(lower, i, s), ends.last, table(inverse, i, s) * right);
  ends.first = fma(table(weight, i, s), ends.last, ends.first);
}
// right(i): right-hand side of row i; keep(i, g_i). Returns the ends of g, whose unused one costs nothing.
template <class P, int Most = longest_strip, int Least = 0, class Table, class Right, class Keep>
HALOCLINE_HD inline Ends<P> reduce_strip(const Table& table, Index s, int rows, const Right& right, const Keep& keep) {
  Ends<P> ends{zero<P>(), zero<P>()};
  each_row<Most, Least>(rows, [&](int i) {
    reduce_row<P>(table, s, i, right(i), ends);
    keep(i, ends.last);
  });
  return ends;
}

// kept(i): g_i as reduce_strip() gave it; use(i, u_i), from the last row to the first.
template <class P, int Most = longest_strip, int Least = 0, class Table, class Kept, class Use>
HALOCLINE_HD inline void resolve_strip(const Table& table, Index s, int rows, const P& L, const P& R, const Kept& kept,
                                       const Use& use) {
  P u = R;
  each_row_back<Most, Least>(rows, [&](int i) {
    u = fma(table(upper, i, s), u, fma(table(left, i, s), L, kept(i)));
    use(i, u);
  });
}

// Own coefficients. row(i): a LineRow; keep(i, EliminatedRow).
template <class P, int Most = longest_strip, int Least = 0, class Row, class Keep>
HALOCLINE_HD inline Response<P> reduce_own_strip(int rows, const Row& row, const Keep& keep) {
  EliminatedRow<P> now{zero<P>(), one_like(zero<P>()), zero<P>()};  // of "row -1": u = L
  P q = now.v;
  Ends<P> g{now.g, now.g}, v{now.g, now.g};
  each_row<Most, Least>(rows, [&](int i) {
    const LineRow<P> of = row(i);
    const P factor = reciprocal(fma(minus(of.before), now.e, of.diagonal));
    now.g = factor * fma(of.before, now.g, of.right);
    now.v = factor * (of.before * now.v);
    now.e = factor * of.behind;
    g.first = fma(q, now.g, g.first);
    v.first = fma(q, now.v, v.first);
    q = q * now.e;
    keep(i, now);
  });
  return {{g.first, now.g}, {v.first, now.v}, {q, now.e}};
}

// known(i): the KnownRow of row i; use(i, u_i) from the last row to the first.
template <class P, int Most = longest_strip, int Least = 0, class Known, class Use>
HALOCLINE_HD inline void resolve_own_strip(int rows, const P& R, const Known& known, const Use& use) {
  P u = R;
  each_row_back<Most, Least>(rows, [&](int i) {
    const KnownRow<P> row = known(i);
    u = fma(row.e, u, row.known);
    use(i, u);
  });
}

}  // namespace halocline::strips
