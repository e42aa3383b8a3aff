// Bodies of interpolation.hpp and reverse_entries.hpp.
#pragma once

#include "lib/amg/setup/classical/reverse_layout.hpp"
#include "lib/amg/setup/point_layout.hpp"
#include "lib/amg/setup/strong_rows_layout.hpp"
#include "lib/linalg/sparse/numbering_kernels.hpp"

namespace halocline::amg {

// Most weights of a row.
inline constexpr int most_weights = 16;

// Whether entry e couples strongly to a point of this kind.
HALOCLINE_HD inline bool couples_to(const StrongRows& a, const PointKind* kind, Index e, PointKind which) {
  return a.strong[e] != 0 && kind[a.rows.col[e]] == which;
}

// Strong couplings of F-rows to points of one kind, all or those to ghosts.
struct CountCouplingsBody {
  StrongRows a;
  const PointKind* kind;
  PointKind to;
  bool ghosts_alone;
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const {
    Index found = 0;
    if (kind[a.rows.local(row)] == points::fine)
      for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e)
        if ((!ghosts_alone || a.rows.ghost(a.rows.col[e])) && couples_to(a, kind, e, to)) ++found;
    count(row) = found;
  }
};
struct ListGhostCouplingsBody {
  StrongRows a;
  const PointKind* kind;
  View<const Index, 1> start;
  View<Index, 1> row_of, ghost;
  View<double, 1> value;
  HALOCLINE_HD void operator()(Index row) const {
    Index at = start(row);
    if (kind[a.rows.local(row)] != points::fine) return;
    for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) {
      const LocalIndex column = a.rows.col[e];
      if (!a.rows.ghost(column) || !couples_to(a, kind, e, points::fine)) continue;
      row_of(at) = row;
      ghost(at) = a.rows.ghost_number(column);
      value(at++) = a.rows.val[e];
    }
  }
};

// FC: strong couplings of F-rows to C-points, and their sum.
struct DirectBody {
  StrongRows a;
  const PointKind* kind;
  const Index* coarse;  // numbers of C-points, of local columns
  const Index* start;
  Index* col;
  double *val, *beta;  // beta: of local columns
  HALOCLINE_HD void operator()(Index row) const {
    const LocalIndex own = a.rows.local(row);
    double sum = 0;
    if (kind[own] == points::fine) {
      Index at = start[row];
      for (Index e = a.rows.ptr[row]; e < a.rows.ptr[row + 1]; ++e) {
        if (!couples_to(a, kind, e, points::coarse)) continue;
        col[at] = coarse[a.rows.col[e]];
        val[at++] = a.rows.val[e];
        sum += a.rows.val[e];
      }
    }
    beta[own] = sum;
  }
};

// G: the diagonal of F-rows, and one entry for every F-point that the row depends on and that has C-points.
struct FineRows {
  StrongRows a;
  const PointKind* kind;
  const double* beta;           // of local columns
  const LocalIndex* component;  // of local columns; null: all the same
  HALOCLINE_HD bool fine(Index row) const { return kind[a.rows.local(row)] == points::fine; }
  HALOCLINE_HD bool counts(LocalIndex own, LocalIndex column) const {
    return component == nullptr || component[own] == component[column];
  }
  // Whether the row, an F-point, is interpolated through the F-point that entry e leads to.
  HALOCLINE_HD bool distant(Index e) const { return couples_to(a, kind, e, points::fine) && beta[a.rows.col[e]] != 0; }
};

struct CountDistantBody {
  FineRows fine;
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const {
    Index found = 0;
    if (fine.fine(row)) {
      found = 1;
      for (Index e = fine.a.rows.ptr[row]; e < fine.a.rows.ptr[row + 1]; ++e)
        if (fine.distant(e)) ++found;
    }
    count(row) = found;
  }
};

// What a row of G is multiplied by after the product with FC, and the sum of its weights.
struct RowScale {
  double factor, sum;
};

// Returns 1 where a_ki was left out, 2 where only the row's own couplings count, 0 elsewhere.
struct DistantBody {
  FineRows fine;
  ReverseLists reverse;
  bool through_itself;
  sparse::GlobalNumbering global;
  const Index* start;
  Index* col;
  double* val;
  RowScale* scale;

  static constexpr double least = 0.1;  // denominator over the diagonal
  HALOCLINE_HD static double size(double value) { return value < 0 ? -value : value; }

  // a_ki, if it is there and strong.
  HALOCLINE_HD double back(LocalIndex k, Index row) const {
    const LevelRows& rows = fine.a.rows;
    if (rows.ghost(k)) return reverse.find(rows.ghost_number(k), row);
    const LocalIndex own = rows.local(row);
    Index first = rows.ptr[k - rows.below], end = rows.ptr[k - rows.below + 1];
    while (first < end) {
      const Index middle = (first + end) / 2;
      if (rows.col[middle] == own) return fine.a.strong[middle] != 0 ? rows.val[middle] : 0;
      if (rows.col[middle] < own) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return 0;
  }

  struct Sums {
    double center = 0, others = 0, plain = 0, extended = 0;
  };
  // Writes the row of G and sums what the denominator is made of.
  HALOCLINE_HD Sums write(Index row, bool with_back) const {
    const LevelRows& rows = fine.a.rows;
    const LocalIndex own = rows.local(row);
    Sums sums;
    Index at = start[row];
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
      const LocalIndex column = rows.col[e];
      const double value = rows.val[e];
      if (column == own) {
        sums.center = value;
        col[at] = global(column);
        val[at++] = 1;
        continue;
      }
      if (!fine.counts(own, column)) continue;
      sums.others += value;
      if (fine.distant(e)) {
        const double a_ki = with_back ? back(column, row) : 0;
        const double part = value / (fine.beta[column] + a_ki);
        col[at] = global(column);
        val[at++] = part;
        sums.extended += part * a_ki;
      } else if (fine.a.strong[e] == 0 || fine.kind[column] != points::coarse) {
        sums.plain += value;
      }
    }
    return sums;
  }
  HALOCLINE_HD void drop_distant(Index row, Index diagonal) const {
    for (Index at = start[row]; at < start[row + 1]; ++at)
      if (col[at] != diagonal) val[at] = 0;
  }
  HALOCLINE_HD double sum_of_weights(Index row) const {
    const LevelRows& rows = fine.a.rows;
    double sum = 0;
    Index at = start[row];
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e)
      if (rows.col[e] == rows.local(row) || fine.distant(e)) sum += val[at++] * fine.beta[rows.col[e]];
    return sum;
  }

  HALOCLINE_HD int operator()(Index row) const {
    if (!fine.fine(row)) {
      scale[row] = {0, 0};
      return 0;
    }
    int guard = 0;
    const LocalIndex own = fine.a.rows.local(row);
    Sums sums = write(row, through_itself);
    const double sign = sums.center < 0 ? -1 : 1, small = least * size(sums.center);
    double denominator = sums.center + sums.plain + sums.extended;
    if (sign * denominator <= small && through_itself) {
      guard = 1;
      sums = write(row, false);
      denominator = sums.center + sums.plain;
    }
    double factor = -1 / denominator;
    if (sign * denominator <= small) {
      guard = 2;
      drop_distant(row, global(own));
      factor = fine.beta[own] == 0 ? 0 : -(sums.others / fine.beta[own]) / sums.center;
    }
    scale[row] = {factor, factor * sum_of_weights(row)};
    return guard;
  }
};

struct GuardCounts {
  Index without_itself, direct;
};
struct AddCounts {
  HALOCLINE_HD GuardCounts operator()(const GuardCounts& a, const GuardCounts& b) const {
    return {a.without_itself + b.without_itself, a.direct + b.direct};
  }
};
struct CountGuardsBody {
  DistantBody body;
  HALOCLINE_HD GuardCounts operator()(Index row) const {
    const int guard = body(row);
    return {guard == 1 ? 1 : 0, guard == 2 ? 1 : 0};
  }
};

// The weights of one row that are kept: the largest, ties by column.
struct KeptWeights {
  double weight[most_weights];
  LocalIndex col[most_weights];
  int count = 0;
  HALOCLINE_HD static double size(double value) { return value < 0 ? -value : value; }
  HALOCLINE_HD static bool before(double w, LocalIndex c, double other_w, LocalIndex other_c) {
    return size(w) != size(other_w) ? size(w) > size(other_w) : c < other_c;
  }
  HALOCLINE_HD void take(double w, LocalIndex c, int most) {
    if (count == most && !before(w, c, weight[most - 1], col[most - 1])) return;
    int at = count < most ? count++ : most - 1;
    for (; at > 0 && before(w, c, weight[at - 1], col[at - 1]); --at) {
      weight[at] = weight[at - 1];
      col[at] = col[at - 1];
    }
    weight[at] = w;
    col[at] = c;
  }
  HALOCLINE_HD void sort_by_column() {
    for (int n = 1; n < count; ++n) {
      const double w = weight[n];
      const LocalIndex c = col[n];
      int at = n;
      for (; at > 0 && col[at - 1] > c; --at) {
        weight[at] = weight[at - 1];
        col[at] = col[at - 1];
      }
      weight[at] = w;
      col[at] = c;
    }
  }
};

struct CountKeptBody {
  const PointKind* kind;  // from the first own row on
  const Index* ptr;       // of G FC
  const double* val;
  const RowScale* scale;
  Index most;
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const {
    Index found = kind[row] == points::coarse ? 1 : 0;
    if (kind[row] == points::fine)
      for (Index e = ptr[row]; e < ptr[row + 1] && found < most; ++e)
        if (scale[row].factor * val[e] != 0) ++found;
    count(row) = found;
  }
};

struct KeepBody {
  const PointKind* kind;   // from the first own row on
  const Index* coarse;     // the same
  const Index* ptr;        // of G FC
  const LocalIndex* from;  // its columns
  const double* val;
  const RowScale* scale;
  int most;
  sparse::GlobalNumbering global;
  const Index* start;
  Index* col;
  double* weight;
  HALOCLINE_HD void operator()(Index row) const {
    Index at = start[row];
    if (kind[row] == points::coarse) {
      col[at] = coarse[row];
      weight[at] = 1;
    }
    if (kind[row] != points::fine) return;
    KeptWeights kept;
    bool dropped = false;
    for (Index e = ptr[row]; e < ptr[row + 1]; ++e) {
      const double w = scale[row].factor * val[e];
      if (w == 0) continue;
      dropped = dropped || kept.count == most;
      kept.take(w, from[e], most);
    }
    kept.sort_by_column();
    double sum = 0;
    for (int n = 0; n < kept.count; ++n) sum += kept.weight[n];
    const double stretch = dropped && sum != 0 ? scale[row].sum / sum : 1;
    for (int n = 0; n < kept.count; ++n) {
      col[at] = global(kept.col[n]);
      weight[at++] = stretch * kept.weight[n];
    }
  }
};

}  // namespace halocline::amg
