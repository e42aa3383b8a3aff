// The loops of the row kernels, for one width of registers. Included by the sources that are compiled for a processor.
#pragma once

#include "lib/problems/diffusion/host/rows.hpp"
#include "lib/problems/diffusion/host/vector_register.hpp"

namespace halocline::diffusion {

// Radius along y and z of the masks with a name; `general` looks at run time.
constexpr int row_reach(MaskKind kind) { return kind == MaskKind::cross9 || kind == MaskKind::cross13 ? 2 : 1; }
constexpr bool row_planes(MaskKind kind) {
  return kind == MaskKind::star7 || kind == MaskKind::box19 || kind == MaskKind::box27 || kind == MaskKind::cross13;
}

// Neighbors of the cells of row `row` of `Rows` from column i on, as V: numbers, or lanes. Bytes and Rows make the type
// distinct.
template <class V, int Bytes, int Rows, class T, MaskKind K>
struct RowNeighbors {
  const T* const* rows;
  int row;
  Index i;
  V operator()(int dz, int dy, int dx) const {
    constexpr int reach = row_reach(K), planes = row_planes(K) ? reach : 0;
    const T* from = rows[(dz + planes) * (2 * reach + Rows) + dy + reach + row] + i + dx;
    if constexpr (sizeof(V) == sizeof(T)) {
      return *from;
    } else {
      return V::load(from);
    }
  }
};

// The kinds with a name: a register of cells of every row at a time, single cells at the end.
template <int Bytes, int Rows, class T, MaskKind K>
void named_rows(const ConvolveMask<T>& mask, const T* const* rows, T* const* out, Index columns, bool past_caches) {
  using V = VectorRegister<T, Bytes>;
  ConvolveMask<V> wide;
  for (int n = 0; n < 7; ++n) wide.k[n] = V(mask.k[n]);
  const Index whole = columns - columns % V::count;
  constexpr int row_count = (2 * row_reach(K) + Rows) * (row_planes(K) ? 2 * row_reach(K) + 1 : 1);
  const T* from[row_count];  // copies that no store of results can change
  for (int n = 0; n < row_count; ++n) from[n] = rows[n];
  T* to[Rows];
  for (int r = 0; r < Rows; ++r) to[r] = out[r];
  // Inlined always: a call per register of cells costs half the rate.
  const auto cells = [&](int r, Index i) __attribute__((always_inline)) {
    return update<K>(wide, RowNeighbors<V, Bytes, Rows, T, K>{from, r, i});
  };
  if (past_caches) {
    for (Index i = 0; i < whole; i += V::count)
      for (int r = 0; r < Rows; ++r) store_past_caches(to[r] + i, cells(r, i));
  } else {
    for (Index i = 0; i < whole; i += V::count) {
      V results[Rows];  // all before the first store, so that rows share loads
      for (int r = 0; r < Rows; ++r) results[r] = cells(r, i);
      for (int r = 0; r < Rows; ++r) results[r].store(to[r] + i);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (Index i = whole; i < columns; ++i) to[r][i] = update<K>(mask, RowNeighbors<T, Bytes, Rows, T, K>{from, r, i});
}

// `Registers` registers of cells from column i on, by any weights; operations in the order of update<general>.
template <int Bytes, int Registers, class T>
void general_cells(const ConvolveMask<T>& mask, const T* const* rows, T* out, Index i) {
  using V = VectorRegister<T, Bytes>;
  const int row_count = (2 * mask.radius[2] + 1) * (2 * mask.radius[1] + 1), reach = mask.radius[0];
  V center[Registers], sum[Registers];
  for (int r = 0; r < Registers; ++r) {
    center[r] = V::load(rows[row_count / 2] + i + r * V::count);
    sum[r] = fma(V(mask.sum), center[r], center[r]);
  }
  const T* weight = mask.weights;
  for (int row = 0; row < row_count; ++row)
    for (int dx = -reach; dx <= reach; ++dx) {
      const V w(*weight++);
      for (int r = 0; r < Registers; ++r)
        sum[r] = fma(w, V::load(rows[row] + i + r * V::count + dx) - center[r], sum[r]);
    }
  for (int r = 0; r < Registers; ++r) sum[r].store(out + i + r * V::count);
}

template <int Bytes, class T>
void general_row(const ConvolveMask<T>& mask, const T* const* rows, T* out, Index columns) {
  constexpr int registers = 4;
  constexpr Index count = Bytes / sizeof(T);
  Index i = 0;
  for (; i + registers * count <= columns; i += registers * count) general_cells<Bytes, registers>(mask, rows, out, i);
  for (; i + count <= columns; i += count) general_cells<Bytes, 1>(mask, rows, out, i);
  const int row_count = (2 * mask.radius[2] + 1) * (2 * mask.radius[1] + 1), reach = mask.radius[0];
  for (; i < columns; ++i) {
    const T c = rows[row_count / 2][i];
    T sum = fma(mask.sum, c, c);
    const T* weight = mask.weights;
    for (int row = 0; row < row_count; ++row)
      for (int dx = -reach; dx <= reach; ++dx) sum = fma(*weight++, rows[row][i + dx] - c, sum);
    out[i] = sum;
  }
}

template <int Bytes, int Rows, class T>
void general_rows(const ConvolveMask<T>& mask, const T* const* rows, T* const* out, Index columns,
                  bool /*past_caches*/) {
  const int height = 2 * mask.radius[1] + 1, planes = 2 * mask.radius[2] + 1;
  const T* own[(2 * most_reach + 1) * (2 * most_reach + 1)];
  for (int r = 0; r < Rows; ++r) {
    for (int z = 0; z < planes; ++z)
      for (int y = 0; y < height; ++y) own[z * height + y] = rows[z * (height + Rows - 1) + y + r];
    general_row<Bytes>(mask, own, out[r], columns);
  }
}

template <int Bytes, class T>
RowKernels<T> row_loops(MaskKind kind) {
  const auto named = [](auto k) {
    constexpr MaskKind K = decltype(k)::value;
    return RowKernels<T>{named_rows<Bytes, 1, T, K>, named_rows<Bytes, 2, T, K>};
  };
  switch (kind) {
    case MaskKind::star5:
      return named(Kind<MaskKind::star5>{});
    case MaskKind::star5_xy:
      return named(Kind<MaskKind::star5_xy>{});
    case MaskKind::star7:
      return named(Kind<MaskKind::star7>{});
    case MaskKind::box9:
      return named(Kind<MaskKind::box9>{});
    case MaskKind::box9_xy:
      return named(Kind<MaskKind::box9_xy>{});
    case MaskKind::box19:
      return named(Kind<MaskKind::box19>{});
    case MaskKind::box27:
      return named(Kind<MaskKind::box27>{});
    case MaskKind::cross9:
      return named(Kind<MaskKind::cross9>{});
    case MaskKind::cross13:
      return named(Kind<MaskKind::cross13>{});
    case MaskKind::general:
      break;
  }
  return {general_rows<Bytes, 1, T>, general_rows<Bytes, 2, T>};
}

}  // namespace halocline::diffusion
