// Bodies of products with sparse rows: a window of 128 rows at a time on the host, a row per thread on a GPU.
//
// Entries of a row are added one after the other, in their order, whatever the format. What is done with the sum of a
// row is an `End`: end(place, sum), place counting the part's rows as vectors hold them.
#pragma once

#include "lib/linalg/sparse/formats/row_layout.hpp"

namespace halocline::sparse {

// Blocks of 128 threads that a multiprocessor of a GPU shall hold: products wait for memory, so as many as registers
// allow with four entries of a row on their way.
template <class T>
inline constexpr int resident_products = sizeof(T) == 4 ? 16 : 8;

// Of memory that a product reads once: on a GPU the caches are left to x where `once`.
template <bool once, class V>
HALOCLINE_HD inline V read(const V* at) {
#if defined(__CUDA_ARCH__)
  if constexpr (once) return __ldcs(at);
#endif
  return *at;
}

// The sum over entries at `val` and `col`, `step` apart, in their order. A thread of a GPU has four of them on their
// way from memory at a time. `once`: no other thread reads near them.
template <bool once, class T>
HALOCLINE_HD inline T sum_of_row(const T* val, const LocalIndex* col, Index step, Index length, const T* x) {
  T sum = 0;
#if defined(__CUDA_ARCH__)
  constexpr int batch = 4;
  const int entries = static_cast<int>(length), distance = static_cast<int>(step);
  for (int first = 0; first < entries; first += batch, val += batch * distance, col += batch * distance) {
    LocalIndex place[batch];
    T factor[batch], other[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      if (first + j < entries) {
        place[j] = read<once>(col + j * distance);
        factor[j] = read<once>(val + j * distance);
      }
    }
#pragma unroll
    for (int j = 0; j < batch; ++j)
      if (first + j < entries) other[j] = x[place[j]];
#pragma unroll
    for (int j = 0; j < batch; ++j)
      if (first + j < entries) sum += factor[j] * other[j];
  }
#else
  for (Index j = 0; j < length; ++j) sum += val[step * j] * x[col[step * j]];
#endif
  return sum;
}

template <class T>
struct SliceRows {
  SlicesView<T> rows;
  HALOCLINE_HD T sum(const T* x, Index place) const {
    const Index at = rows.start[place / slice_rows] + place % slice_rows;
    return sum_of_row<true>(rows.val + at, rows.col + at, slice_rows, rows.length[place], x);
  }
  void sums(const T* x, Index window, T* result) const {
    for (Index slice = window * (window_rows / slice_rows); slice < (window + 1) * (window_rows / slice_rows);
         ++slice) {
      T sum[slice_rows] = {};
      for (Index at = rows.start[slice]; at < rows.start[slice + 1]; at += slice_rows) {
        const T* val = rows.val + at;
        const LocalIndex* col = rows.col + at;
#pragma omp simd
        for (Index lane = 0; lane < slice_rows; ++lane) sum[lane] += val[lane] * x[col[lane]];
      }
      for (Index lane = 0; lane < slice_rows; ++lane) *result++ = sum[lane];
    }
  }
};

template <class T>
struct CompressedRows {
  CompressedView<T> rows;
  HALOCLINE_HD T sum(const T* x, Index place) const {
    const Index first = rows.start[place];
    return sum_of_row<false>(rows.val + first, rows.col + first, 1, rows.start[place + 1] - first, x);
  }
  // Of the entries of one lane out of several.
  HALOCLINE_HD T share(const T* x, Index place, Index lane, Index lanes) const {
    const Index first = rows.start[place] + lane, rest = rows.start[place + 1] - first;
    return rest <= 0 ? T{0}
                     : sum_of_row<false>(rows.val + first, rows.col + first, lanes, (rest + lanes - 1) / lanes, x);
  }
  void sums(const T* x, Index window, T* result) const {
    for (Index row = 0; row < window_rows; ++row) result[row] = sum(x, window * window_rows + row);
  }
};

// Four entries a row, side by side.
template <class T>
struct FourRows {
  const LocalIndex* col;
  const T* val;
  HALOCLINE_HD T sum(const T* x, Index place) const {
#if defined(__CUDA_ARCH__)
    const int4 c = reinterpret_cast<const int4*>(col)[place];
    T factor[4];
    if constexpr (sizeof(T) == 4) {
      const float4 v = reinterpret_cast<const float4*>(val)[place];
      factor[0] = v.x, factor[1] = v.y, factor[2] = v.z, factor[3] = v.w;
    } else {
      const double2 low = reinterpret_cast<const double2*>(val)[2 * place],
                    high = reinterpret_cast<const double2*>(val)[2 * place + 1];
      factor[0] = low.x, factor[1] = low.y, factor[2] = high.x, factor[3] = high.y;
    }
    const T other[4] = {x[c.x], x[c.y], x[c.z], x[c.w]};
    T sum = 0;
    for (int j = 0; j < 4; ++j) sum += factor[j] * other[j];
    return sum;
#else
    return sum_of_row<false>(val + 4 * place, col + 4 * place, 1, 4, x);
#endif
  }
  void sums(const T* x, Index window, T* result) const {
    for (Index row = 0; row < window_rows; ++row) result[row] = sum(x, window * window_rows + row);
  }
};

// Products with the windows that `list` names, or with those from 0 on where it is null. `target`: where vectors hold
// the row stored n-th, from the row `first_target` on; rows before that they hold n-th.
template <class Rows, class T, class End>
struct WindowBody {
  static constexpr int resident_blocks = resident_products<T>;
  Rows rows;
  const T* x;  // of local column 0
  LongSums<T> longs;
  const LocalIndex *list, *target;
  Index first_target;  // behind all rows: none
  Index count;         // rows that are stored from 0 on
  End end;

  HALOCLINE_HD Index window(Index n) const { return list != nullptr ? list[n] : n; }
  HALOCLINE_HD Index place(Index stored) const {
    return stored < first_target ? stored : target[stored - first_target];
  }

  HALOCLINE_HD void operator()(Index n, Index j) const {
    const Index w = window(n), stored = w * window_rows + j;
    if (stored < count) end(place(stored), sum(w, stored));
  }
  HALOCLINE_HD T sum(Index w, Index stored) const {
    T sum = 0;
    return find_long(w, stored, sum) ? sum : rows.sum(x, stored);
  }
  // Whether the row is a long one, whose sum is known.
  HALOCLINE_HD bool find_long(Index w, Index stored, T& sum) const {
    if (longs.begin == nullptr) return false;
    for (LocalIndex n = longs.begin[w]; n < longs.begin[w + 1]; ++n) {
      if (longs.place[n] != stored) continue;
      sum = longs.sum[n];
      return true;
    }
    return false;
  }

  void row(Index n, Index /*begin*/, Index /*end*/) const {
    const Index w = window(n), first = w * window_rows,
                size = count - first < window_rows ? count - first : window_rows;
    T sums[window_rows];
    take_sums(w, sums);
    if (first + size > first_target) {
      for (Index i = 0; i < size; ++i) end(place(first + i), sums[i]);
    } else {
#pragma omp simd
      for (Index i = 0; i < size; ++i) end(first + i, sums[i]);
    }
  }
  void take_sums(Index w, T* sums) const {
    rows.sums(x, w, sums);
    if (longs.begin == nullptr) return;
    for (LocalIndex n = longs.begin[w]; n < longs.begin[w + 1]; ++n)
      sums[longs.place[n] - w * window_rows] = longs.sum[n];
  }
};

// The same with several lanes a row, for launch_joined: n counts the rows of the windows.
template <class T, class End>
struct LanesBody {
  WindowBody<CompressedRows<T>, T, End> product;

  HALOCLINE_HD Index stored(Index n) const { return product.window(n / window_rows) * window_rows + n % window_rows; }
  HALOCLINE_HD T share(Index n, Index lane, Index lanes) const {
    const Index row = stored(n);
    return row < product.count ? product.rows.share(product.x, row, lane, lanes) : T{0};
  }
  HALOCLINE_HD void finish(Index n, T sum) const {
    const Index row = stored(n);
    if (row >= product.count) return;
    product.find_long(row / window_rows, row, sum);
    product.end(product.place(row), sum);
  }
};

// The same with sums over the rows of a window: end(place, sum, terms) gives a row's terms of End::sums sums. Vectors
// hold rows as they are stored.
template <class Rows, class T, class End>
struct SummedWindowBody {
  static constexpr int resident_blocks = resident_products<T>;
  WindowBody<Rows, T, End> product;
  double* result;  // [window][End::sums]

  HALOCLINE_HD double* of(Index n) const { return result + product.window(n) * End::sums; }
  HALOCLINE_HD void operator()(Index n, Index j, double (&terms)[End::sums]) const {
    const Index w = product.window(n), stored = w * window_rows + j;
    if (stored < product.count) product.end(stored, product.sum(w, stored), terms);
  }

  // Lanes of 32 rows first, then the lanes pairwise.
  void row(Index n, Index /*begin*/, Index /*end*/) const {
    const Index w = product.window(n), first = w * window_rows;
    T sums[window_rows];
    product.take_sums(w, sums);
    double lane[End::sums][slice_rows] = {};
    for (Index i = 0; i < window_rows && first + i < product.count; ++i) {
      double terms[End::sums];
      product.end(first + i, sums[i], terms);
      for (int k = 0; k < End::sums; ++k) lane[k][i % slice_rows] += terms[k];
    }
    for (int k = 0; k < End::sums; ++k) {
      for (Index half = slice_rows / 2; half > 0; half /= 2)
        for (Index i = 0; i < half; ++i) lane[k][i] += lane[k][i + half];
      of(n)[k] = lane[k][0];
    }
  }
};

// Windows of one piece of work after the other, on the host.
template <class Body>
struct PieceBody {
  Body body;
  const LocalIndex* begin;  // of every piece, and the end
  void operator()(Index piece) const {
    for (LocalIndex n = begin[piece]; n < begin[piece + 1]; ++n) body.row(n, 0, window_rows);
  }
};

// Part `piece` of a long row: entries first[piece] ... first[piece + 1] - 1 of the long rows' entries, in 128 lanes.
template <class T>
struct LongPieceBody {
  const Index* first;
  const LocalIndex* col;
  const T *val, *x;
  double* result;
  HALOCLINE_HD double* of(Index piece) const { return result + piece; }
  HALOCLINE_HD void operator()(Index piece, Index lane, double (&terms)[1]) const {
    double sum = 0;
    for (Index e = first[piece] + lane; e < first[piece + 1]; e += window_rows)
      sum += static_cast<double>(val[e]) * static_cast<double>(x[col[e]]);
    terms[0] = sum;
  }
  void row(Index piece, Index /*begin*/, Index /*end*/) const {
    double lane[window_rows] = {};
    for (Index e = first[piece]; e < first[piece + 1]; e += window_rows) {
      const Index size = first[piece + 1] - e < window_rows ? first[piece + 1] - e : window_rows;
#pragma omp simd
      for (Index l = 0; l < size; ++l) lane[l] += static_cast<double>(val[e + l]) * static_cast<double>(x[col[e + l]]);
    }
    for (Index half = window_rows / 2; half > 0; half /= 2)
      for (Index l = 0; l < half; ++l) lane[l] += lane[l + half];
    *of(piece) = lane[0];
  }
};

// Joins the pieces of every long row, in their order.
template <class T>
struct JoinPiecesBody {
  const LocalIndex* begin;  // pieces of every long row, and the end
  const double* pieces;
  T* sum;
  HALOCLINE_HD void operator()(Index row) const {
    double all = 0;
    for (LocalIndex piece = begin[row]; piece < begin[row + 1]; ++piece) all += pieces[piece];
    sum[row] = static_cast<T>(all);
  }
};

// Sums of chunks of 1024 rows from those of their windows, in order. All are read before the first is added: a GPU
// waits for memory once.
template <int K>
struct JoinWindowsBody {
  static constexpr int in_chunk = 8;
  const double* windows;
  Index count;  // of windows
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    const Index first = in_chunk * chunk;
    double term[in_chunk][K];
    for (int w = 0; w < in_chunk; ++w)
      for (int k = 0; k < K; ++k) term[w][k] = first + w < count ? windows[K * (first + w) + k] : 0;
    for (int k = 0; k < K; ++k) {
      double sum = 0;
      for (int w = 0; w < in_chunk; ++w) sum += term[w][k];
      sink.add(k, sum);
    }
  }
};

// Ends.

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
