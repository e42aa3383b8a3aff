// Bodies of interpolation.hpp and reverse_entries.hpp.
#pragma once

#include "lib/amg/setup/classical/coupling_layout.hpp"
#include "lib/amg/setup/classical/reverse_layout.hpp"
#include "lib/linalg/sparse/numbering_kernels.hpp"

namespace halocline::amg {

// Most weights of a row.
inline constexpr int most_weights = 16;

struct CountGhostCouplingsBody {
  FineRows fine;
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const {
    const LevelRows& rows = fine.rows;
    Index found = 0;
    if (fine.fine(row))
      for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e)
        if (rows.ghost(rows.col[e]) && fine.coupling[e] == couplings::fine) ++found;
    count(row) = found;
  }
};
struct ListGhostCouplingsBody {
  FineRows fine;
  View<const Index, 1> start;
  View<Index, 1> row_of, ghost;
  View<double, 1> value;
  HALOCLINE_HD void operator()(Index row) const {
    const LevelRows& rows = fine.rows;
    Index at = start(row);
    if (!fine.fine(row)) return;
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
      const LocalIndex column = rows.col[e];
      if (!rows.ghost(column) || fine.coupling[e] != couplings::fine) continue;
      row_of(at) = row;
      ghost(at) = rows.ghost_number(column);
      value(at++) = rows.val[e];
    }
  }
};

// FC: strong couplings of F-rows to C-points, and their sum.
struct DirectBody {
  FineRows fine;
  const Index* coarse;  // numbers of C-points, of local columns
  const Index* start;
  Index* col;
  double *val, *beta;  // beta: of local columns
  HALOCLINE_HD void operator()(Index row) const {
    const LevelRows& rows = fine.rows;
    double sum = 0;
    // Rows of other points have none.
    if (start[row] != start[row + 1]) {
      Index at = start[row];
      for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
        if (fine.coupling[e] != couplings::coarse) continue;
        col[at] = coarse[rows.col[e]];
        val[at++] = rows.val[e];
        sum += rows.val[e];
      }
    }
    beta[rows.local(row)] = sum;
  }
};

// What a row of G is multiplied by after the product with FC, and the sum of its weights.
struct RowScale {
  double factor, sum;
};

// G: the diagonal of F-rows, and one entry for every F-point that the row depends on. Those without C-points get 0.
// Returns 1 where a_ki was left out, 2 where only the row's own couplings count, 0 elsewhere.
struct DistantBody {
  FineRows fine;
  const double* beta;  // of local columns
  ReverseLists reverse;
  bool through_itself;
  const Index* start;
  LocalIndex* col;
  double* val;
  RowScale* scale;

  static constexpr double least = 0.1;  // denominator over the diagonal
  HALOCLINE_HD static double size(double value) { return value < 0 ? -value : value; }

  // a_ki, if it is there and strong; k is an F-point. Where a row is cut in two is as good as random: no branches.
  HALOCLINE_HD double back(LocalIndex k, Index row) const {
    const LevelRows& rows = fine.rows;
    if (rows.ghost(k)) return reverse.find(rows.ghost_number(k), row);
    const LocalIndex own = rows.local(row);
    Index first = rows.ptr[k - rows.below], count = rows.ptr[k - rows.below + 1] - first;
    while (count > 1) {
      const Index half = count / 2;
      first += half * (rows.col[first + half] <= own ? 1 : 0);
      count -= half;
    }
    return rows.col[first] == own && fine.coupling[first] == couplings::fine ? rows.val[first] : 0;
  }

  struct Sums {
    double center = 0, others = 0, plain = 0, extended = 0;
    double weights = 0;  // of the row of G times beta
  };
  // Writes the row of G and sums what the denominator is made of.
  HALOCLINE_HD Sums write(Index row, bool with_back) const {
    const LevelRows& rows = fine.rows;
    Sums sums;
    Index at = start[row];
    for (Index e = rows.ptr[row]; e < rows.ptr[row + 1]; ++e) {
      const Coupling which = fine.coupling[e];
      const double value = rows.val[e];
      if (which < couplings::fine) {
        if (which != couplings::apart) sums.others += value;
        if (which == couplings::weak) sums.plain += value;
        continue;
      }
      const LocalIndex column = rows.col[e];
      col[at] = column;
      if (which == couplings::center) {
        sums.center = value;
        val[at] = 1;
      } else {
        sums.others += value;
        val[at] = through(column, row, value, with_back, sums);
      }
      sums.weights += val[at++] * beta[column];
    }
    return sums;
  }
  // What FC of F-point k, to which the row's coupling is `value`, is multiplied by.
  HALOCLINE_HD double through(LocalIndex k, Index row, double value, bool with_back, Sums& sums) const {
    if (beta[k] == 0) {
      sums.plain += value;
      return 0;
    }
    const double a_ki = with_back ? back(k, row) : 0;
    const double part = value / (beta[k] + a_ki);
    sums.extended += part * a_ki;
    return part;
  }
  HALOCLINE_HD void drop_distant(Index row) const {
    for (Index at = start[row]; at < start[row + 1]; ++at)
      if (col[at] != fine.rows.local(row)) val[at] = 0;
  }

  HALOCLINE_HD int operator()(Index row) const {
    if (!fine.fine(row)) {
      scale[row] = {0, 0};
      return 0;
    }
    int guard = 0;
    const LocalIndex own = fine.rows.local(row);
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
      drop_distant(row);
      sums.weights = beta[own];
      factor = beta[own] == 0 ? 0 : -(sums.others / beta[own]) / sums.center;
    }
    scale[row] = {factor, factor * sums.weights};
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
