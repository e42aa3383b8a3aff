// Transforms of lines that no block of threads holds (closed_kernels.hpp), in two passes over memory. The numbers of a
// line stand in a table of `rows` rows. The first stages join numbers of a column only: a block does them for a window
// of columns. What is left joins numbers of a row only: a block does it for some rows. Digits are those of a transform
// as a whole.
//
// Bins k of a row have the same rest k mod rows, so a block that takes rows of some rests and of their negatives has
// bins k and size - k both, and some modes in a row each time; likewise columns and their mirrors on the way back.
#pragma once

#include "lib/problems/collocation/direct/closed_kernels.hpp"

namespace halocline::collocation {

struct SplitView {
  FourierView fourier;  // whose size is rows * columns
  int outer;            // its first stages, which join numbers of a column
  LocalIndex rows, columns;

  static constexpr LocalIndex window = 8, rests = 4;  // and as many mirrors
  HALOCLINE_HD LocalIndex windows() const { return (columns + 2 * window - 1) / (2 * window); }
  HALOCLINE_HD LocalIndex mirrored_windows() const { return columns / 2 / window + 1; }
  HALOCLINE_HD LocalIndex groups() const { return rows / 2 / rests + 1; }
  HALOCLINE_HD LocalIndex numbers_of_window() const { return rows * 2 * window; }
  HALOCLINE_HD LocalIndex numbers_of_group() const { return columns * 2 * rests; }
};

// The first `outer` stages apart from the others.
inline SplitView split_at(const FourierView& fourier, int outer) {
  SplitView split{fourier, outer, 1, static_cast<LocalIndex>(fourier.size)};
  for (int s = 0; s < outer; ++s) {
    split.rows *= fourier.radix[s];
    split.columns /= fourier.radix[s];
  }
  return split;
}
// As many as leave not more rows than columns.
inline SplitView split_in_middle(const FourierView& fourier) {
  int outer = 0;
  while (outer + 1 < fourier.stages && split_at(fourier, outer + 1).rows <= split_at(fourier, outer + 1).columns)
    ++outer;
  return split_at(fourier, outer);
}

// Columns of a block: a run of them, or half of them and their mirrors. -1: none.
struct SplitColumns {
  LocalIndex first, columns;
  bool mirrored;
  static constexpr LocalIndex count = 2 * SplitView::window;
  HALOCLINE_HD LocalIndex at(LocalIndex c) const {
    if (!mirrored) return first + c < columns ? first + c : -1;
    const LocalIndex column = first + c % SplitView::window;
    if (column > columns / 2) return -1;
    if (c < SplitView::window) return column;
    return own_mirror(column) ? -1 : columns - column;
  }
  HALOCLINE_HD bool own_mirror(LocalIndex column) const { return column == 0 || 2 * column == columns; }
};

// Rests of a block: some and their negatives. -1: none.
struct SplitRests {
  LocalIndex first, rows;
  static constexpr LocalIndex count = 2 * SplitView::rests;
  HALOCLINE_HD LocalIndex at(LocalIndex slot) const {
    const LocalIndex rest = first + slot % SplitView::rests;
    if (rest > rows / 2) return -1;
    if (slot < SplitView::rests) return rest;
    return own_mirror(rest) ? -1 : rows - rest;
  }
  HALOCLINE_HD bool own_mirror(LocalIndex rest) const { return rest == 0 || 2 * rest == rows; }
  HALOCLINE_HD LocalIndex mirror_slot(LocalIndex slot) const {
    return own_mirror(at(slot)) ? slot : slot + SplitView::rests;
  }
};

// `work`: numbers of the line between the passes, as pairs; `memory`: of the block, numbers_of_window() or
// numbers_of_group() pairs.
template <class Crew>
struct SplitLine {
  SplitView split;
  ClosedView axis;
  double *work, *memory;
  Crew crew;

  // Butterflies of column c of a window.
  template <int R, bool roots_first>
  HALOCLINE_HD void outer_stage(const Field<double>& x, const SplitColumns& columns, LocalIndex sub) const {
    const LocalIndex count = split.rows / R * SplitColumns::count, pace = split.rows / R / sub;
    for (auto t = static_cast<LocalIndex>(crew.index); t < count; t += static_cast<LocalIndex>(crew.count)) {
      const LocalIndex c = t % SplitColumns::count, u = t / SplitColumns::count, column = columns.at(c);
      if (column < 0) continue;
      const LocalIndex row = u / sub * sub * R + u % sub;
      butterflies<R, roots_first>(x, row * SplitColumns::count + c, sub * SplitColumns::count,
                                  (u % sub * split.columns + column) * pace);
    }
    crew.meet();
  }
  // Of the row of a slot.
  template <int R, bool roots_first>
  HALOCLINE_HD void inner_stage(const Field<double>& x, LocalIndex sub) const {
    const LocalIndex each = split.columns / R, count = each * SplitRests::count;
    const auto pace = static_cast<LocalIndex>(split.fourier.size / R / sub);
    for (auto t = static_cast<LocalIndex>(crew.index); t < count; t += static_cast<LocalIndex>(crew.count)) {
      const LocalIndex u = t % each;
      butterflies<R, roots_first>(x, t / each * split.columns + u / sub * sub * R + u % sub, sub, u % sub * pace);
    }
    crew.meet();
  }
  // As of stage() in fourier_kernels.hpp.
  template <int R, bool roots_first>
  HALOCLINE_HD void butterflies(const Field<double>& x, LocalIndex first, LocalIndex step, LocalIndex turn) const {
    Complex<double> a[R];
    for (int q = 0; q < R; ++q) a[q] = get(x, first + q * step);
    if (!roots_first) butterfly(a);
    const double* root = split.fourier.roots;
    for (int q = 1; q < R; ++q) {
      root += 2 * turn;
      a[q] = turned(root[0], root[1], a[q]);
    }
    if (roots_first) butterfly(a);
    for (int q = 0; q < R; ++q) put(x, first + q * step, a[q]);
  }
  template <bool roots_first>
  HALOCLINE_HD void outer(int s, const Field<double>& x, const SplitColumns& columns, LocalIndex sub) const {
    const LocalIndex radix = split.fourier.radix[s];
    if (radix == 4) outer_stage<4, roots_first>(x, columns, sub);
    if (radix == 2) outer_stage<2, roots_first>(x, columns, sub);
    if (radix == 3) outer_stage<3, roots_first>(x, columns, sub);
    if (radix == 5) outer_stage<5, roots_first>(x, columns, sub);
  }
  template <bool roots_first>
  HALOCLINE_HD void inner(int s, const Field<double>& x, LocalIndex sub) const {
    const LocalIndex radix = split.fourier.radix[s];
    if (radix == 4) inner_stage<4, roots_first>(x, sub);
    if (radix == 2) inner_stage<2, roots_first>(x, sub);
    if (radix == 3) inner_stage<3, roots_first>(x, sub);
    if (radix == 5) inner_stage<5, roots_first>(x, sub);
  }

  HALOCLINE_HD Field<double> window() const { return {memory, memory + split.numbers_of_window(), 1}; }
  HALOCLINE_HD Field<double> group() const { return {memory, memory + split.numbers_of_group(), 1}; }
  HALOCLINE_HD Field<double> line() const { return {work, work + 1, 2}; }

  // As ClosedLine::load_equations().
  HALOCLINE_HD Complex<double> equation(const ColumnPair& from, Index g) const {
    if (g < axis.n) return {*from.at(0, false, g + 1), *from.at(0, true, g + 1)};
    const Index e = 2 * axis.n - 1 - g;
    const double sign = axis.neumann ? 1 : -1;
    return {sign * *from.at(1, false, e), sign * *from.at(1, true, e)};
  }

  // Equations to numbers between the passes.
  HALOCLINE_HD void analyze_columns(const ColumnPair& from, LocalIndex number) const {
    const SplitColumns columns{number * SplitColumns::count, split.columns, false};
    const Field<double> x = window();
    each_of_window(columns, [&](LocalIndex at, Index g) { put(x, at, equation(from, g)); });
    crew.meet();
    LocalIndex sub = split.rows;
    for (int s = 0; s < split.outer; ++s) outer<false>(s, x, columns, sub /= split.fourier.radix[s]);
    each_of_window(columns, [&](LocalIndex at, Index g) { put(line(), g, get(x, at)); });
  }
  // From there to coefficients.
  HALOCLINE_HD void analyze_rows(const ColumnPair& to, LocalIndex number) const {
    const SplitRests rests{number * SplitView::rests, split.rows};
    const Field<double> x = group();
    each_of_group(rests, [&](LocalIndex at, Index g) { put(x, at, get(line(), g)); });
    crew.meet();
    LocalIndex sub = split.columns;
    for (int s = split.outer; s < split.fourier.stages; ++s) inner<false>(s, x, sub /= split.fourier.radix[s]);
    each_mode(rests, [&](Index k, LocalIndex at, LocalIndex mirror) {
      Complex<double> c[2];
      coefficients_of_bins(axis, k, get(x, at), get(x, mirror), c);
      for (int s = 0; s < 2; ++s) {
        *to.at(s, false, k) = c[s].re;
        *to.at(s, true, k) = c[s].im;
      }
    });
  }
  // Coefficients to numbers between the passes.
  HALOCLINE_HD void synthesize_rows(const ColumnPair& from, LocalIndex number) const {
    const SplitRests rests{number * SplitView::rests, split.rows};
    const Field<double> x = group();
    each_mode(rests, [&](Index k, LocalIndex at, LocalIndex mirror) {
      Complex<double> c[2];
      for (int s = 0; s < 2; ++s) c[s] = {*from.at(s, false, k), *from.at(s, true, k)};
      const auto bins = bins_of_coefficients(axis, k, c);
      put(x, at, bins.bin);
      if (k > 0 && k < axis.n) put(x, mirror, bins.mirrored);
    });
    crew.meet();
    LocalIndex sub = 1;
    for (int s = split.fourier.stages - 1; s >= split.outer; --s) {
      inner<true>(s, x.swapped(), sub);
      sub *= split.fourier.radix[s];
    }
    each_of_group(rests, [&](LocalIndex at, Index g) { put(line(), g, get(x, at)); });
  }
  // From there to unknowns.
  HALOCLINE_HD void synthesize_columns(const ColumnPair& to, LocalIndex number) const {
    const SplitColumns columns{number * SplitView::window, split.columns, true};
    const Field<double> x = window();
    each_of_window(columns, [&](LocalIndex at, Index g) { put(x, at, get(line(), g)); });
    crew.meet();
    LocalIndex sub = 1;
    for (int s = split.outer - 1; s >= 0; --s) {
      outer<true>(s, x.swapped(), columns, sub);
      sub *= split.fourier.radix[s];
    }
    const int even = axis.neumann ? 0 : 1;
    each_of_window(columns, [&](LocalIndex at, Index g) {
      const Index j = g <= axis.n ? g : 2 * axis.n - g;
      if (j != g && columns.own_mirror(static_cast<LocalIndex>(g % split.columns))) return;  // as j
      const auto one = get(x, at), other = get(x, mirror_of(columns, at));
      const auto sum = one + other, difference = j == g ? one - other : other - one;
      *to.at(even, false, j) = 0.5 * sum.re;
      *to.at(even, true, j) = 0.5 * sum.im;
      *to.at(1 - even, false, j) = 0.5 * difference.re;
      *to.at(1 - even, true, j) = 0.5 * difference.im;
    });
  }

 private:
  // use(at, g): number g of the line at a place of the window.
  template <class Use>
  HALOCLINE_HD void each_of_window(const SplitColumns& columns, const Use& use) const {
    const LocalIndex count = split.numbers_of_window();
    for (auto t = static_cast<LocalIndex>(crew.index); t < count; t += static_cast<LocalIndex>(crew.count)) {
      const LocalIndex column = columns.at(t % SplitColumns::count);
      if (column >= 0) use(t, static_cast<Index>(t / SplitColumns::count) * split.columns + column);
    }
  }
  // Where number size - g lies, number g being at a place of the window.
  HALOCLINE_HD LocalIndex mirror_of(const SplitColumns& columns, LocalIndex at) const {
    const LocalIndex c = at % SplitColumns::count, row = at / SplitColumns::count, column = columns.at(c);
    const LocalIndex mirrored = column == 0 ? (row == 0 ? 0 : split.rows - row) : split.rows - 1 - row;
    const LocalIndex of_column =
        columns.own_mirror(column) ? c : (c < SplitView::window ? c + SplitView::window : c - SplitView::window);
    return mirrored * SplitColumns::count + of_column;
  }
  // use(at, g) likewise, of rows.
  template <class Use>
  HALOCLINE_HD void each_of_group(const SplitRests& rests, const Use& use) const {
    const LocalIndex count = split.numbers_of_group();
    for (auto t = static_cast<LocalIndex>(crew.index); t < count; t += static_cast<LocalIndex>(crew.count)) {
      const LocalIndex rest = rests.at(t / split.columns);
      if (rest >= 0) use(t, split.fourier.place[rest] + t % split.columns);
    }
  }
  // use(k, at, mirror): where bins k and size - k lie, once for every k of the group.
  template <class Use>
  HALOCLINE_HD void each_mode(const SplitRests& rests, const Use& use) const {
    const LocalIndex count = split.columns * SplitView::rests;
    for (auto t = static_cast<LocalIndex>(crew.index); t < count; t += static_cast<LocalIndex>(crew.count)) {
      const LocalIndex slot = t % SplitView::rests, rest = rests.at(slot);
      if (rest < 0) continue;
      const LocalIndex k = rest + t / SplitView::rests * split.rows, size = split.rows * split.columns;
      if (k > axis.n && rests.own_mirror(rest)) continue;
      const LocalIndex other = rests.mirror_slot(slot), negative = k == 0 ? 0 : size - k;
      const LocalIndex at = place_in(slot, rest, k), mirror = place_in(other, rests.at(other), negative);
      if (k <= axis.n)
        use(k, at, mirror);
      else
        use(negative, mirror, at);
    }
  }
  HALOCLINE_HD LocalIndex place_in(LocalIndex slot, LocalIndex rest, LocalIndex k) const {
    return slot * split.columns + split.fourier.place[k] - split.fourier.place[rest];
  }
};

}  // namespace halocline::collocation
