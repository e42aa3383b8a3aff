// Bodies that take values from a level of multigrid to the next one and back: linear interpolation along the axes that
// are halved, its transpose, and the coefficients of the next level.
#pragma once

#include "lib/problems/fractional/multigrid/multigrid_kernels.hpp"

namespace halocline::fractional {

// See AxisLevel.
struct AxisTransfer {
  const Real* low = nullptr;          // [fine node]
  const Real* restriction = nullptr;  // [before, at, behind][coarse node]
  Index coarse_rows = 1;
  int halved = 0;  // 1 or 0
  HALOCLINE_HD Real weight(int n, Index coarse) const { return restriction[n * coarse_rows + coarse]; }
  // The node of the finer level that a node of the coarser one is; the last one of an even number is the one before.
  HALOCLINE_HD Index fine(Index coarse) const { return coarse << halved; }
};
struct Transfer {
  AxisTransfer x, y, z;
};

// Lines of the finer level with their weights: what a line of the coarser one gets.
struct WeightedLines {
  int count = 0;
  Index at[9];
  Real weight[9];
  HALOCLINE_HD Real sum(const Real* of, Index i) const {
    Real sum = 0;
    for (int n = 0; n < count; ++n) sum += weight[n] * of[at[n] + i];
    return sum;
  }
};

// to = P^T of, lines of the coarser level, from its plane `coarse.first` on, x nodes.
struct RestrictBody {
  static constexpr Index tile = 64;
  LevelGrid fine;
  SlabLayout coarse;
  Transfer transfer;
  const Real* of;
  Real* to;

  HALOCLINE_HD void operator()(Index line, Index I) const {
    const WeightedLines lines = lines_of(line);
    const AxisTransfer& x = transfer.x;
    Real sum = 0;
    for (int n = 0; n < 3; ++n) {
      const Real weight = x.weight(n, I);
      if (weight != 0) sum += weight * lines.sum(of, fine.x.place(x.fine(I) + n - 1));
    }
    to[coarse.line(line) + I] = sum;
  }
  void row(Index line, Index begin, Index end) const {
    const WeightedLines lines = lines_of(line);
    Real* const out = to + coarse.line(line);
    const int halved = transfer.x.halved;
    for (Index from = begin; from < end; from += tile) {
      const Index nodes = end - from < tile ? end - from : tile, fine_nodes = (nodes << halved) + 2;
      Real sums[2 * tile + 2];  // from the node before that of `from` on
      for (Index i = 0; i < fine_nodes; ++i) sums[i] = 0;
      for (int n = 0; n < lines.count; ++n) {
        const Real* const values = of + lines.at[n] + (from << halved) - 1;
        const Real weight = lines.weight[n];
#pragma omp simd
        for (Index i = 0; i < fine_nodes; ++i) sums[i] += weight * values[i];
      }
      if (from == 0 && fine.x.wraps) sums[0] = lines.sum(of, fine.x.place(-1));
      const Real *before = transfer.x.restriction + from, *at = before + transfer.x.coarse_rows,
                 *behind = at + transfer.x.coarse_rows;
#pragma omp simd
      for (Index I = 0; I < nodes; ++I) {
        const Real* const near = sums + (I << halved);
        out[from + I] = before[I] * near[0] + at[I] * near[1] + behind[I] * near[2];
      }
    }
  }

 private:
  HALOCLINE_HD WeightedLines lines_of(Index line) const {
    const Index J = coarse.y_of(line, 0), K = coarse.first + coarse.z_of(line, 0);
    WeightedLines lines;
    for (int n = 0; n < 3; ++n) {
      const Real along_z = transfer.z.weight(n, K);
      if (along_z == 0) continue;
      for (int m = 0; m < 3; ++m) {
        const Real weight = along_z * transfer.y.weight(m, J);
        if (weight == 0) continue;
        lines.at[lines.count] = fine.z.place(transfer.z.fine(K) + n - 1) + fine.y.place(transfer.y.fine(J) + m - 1);
        lines.weight[lines.count++] = weight;
      }
    }
    return lines;
  }
};

// to += P of, lines of the finer level x nodes. Nodes of the coarser level that do not count are read as well.
struct ProlongBody {
  static constexpr Index tile = 64;
  LevelGrid fine, coarse;
  Transfer transfer;
  const Real* of;
  Real* to;

  HALOCLINE_HD void operator()(Index line, Index i) const {
    const WeightedLines lines = lines_of(line);
    const Index I = i >> transfer.x.halved;
    const Real low = transfer.x.low[i];
    Real sum = low * lines.sum(of, I);
    if (low < 1) sum += (1 - low) * lines.sum(of, coarse.x.place(I + 1));
    to[fine.slab.line(line) + i] += sum;
  }
  void row(Index line, Index begin, Index end) const {
    const WeightedLines lines = lines_of(line);
    Real* const out = to + fine.slab.line(line);
    const int halved = transfer.x.halved;
    for (Index from = begin; from < end; from += tile << halved) {
      const Index nodes = end - from < (tile << halved) ? end - from : tile << halved;
      const Index first = from >> halved, coarse_nodes = ((nodes - 1) >> halved) + 2;
      Real sums[tile + 1];
      for (Index I = 0; I < coarse_nodes; ++I) sums[I] = 0;
      for (int n = 0; n < lines.count; ++n) {
        const Real* const values = of + lines.at[n] + first;
        const Real weight = lines.weight[n];
#pragma omp simd
        for (Index I = 0; I < coarse_nodes; ++I) sums[I] += weight * values[I];
      }
      if (coarse.x.wraps && first + coarse_nodes > coarse.x.rows) sums[coarse_nodes - 1] = lines.sum(of, 0);
      const Real* const low = transfer.x.low + from;
#pragma omp simd
      for (Index i = 0; i < nodes; ++i) {
        const Real* const near = sums + (i >> halved);
        out[from + i] += low[i] * near[0] + (1 - low[i]) * near[1];
      }
    }
  }

 private:
  HALOCLINE_HD WeightedLines lines_of(Index line) const {
    const Index j = fine.slab.y_of(line, 0), k = fine.slab.first + fine.slab.z_of(line, 0);
    WeightedLines lines;
    for (int n = 0; n < 2; ++n) {
      const Real low_z = transfer.z.low[k], along_z = n == 0 ? low_z : 1 - low_z;
      if (along_z == 0) continue;
      for (int m = 0; m < 2; ++m) {
        const Real low_y = transfer.y.low[j], weight = along_z * (m == 0 ? low_y : 1 - low_y);
        if (weight == 0) continue;
        lines.at[lines.count] =
            coarse.z.place((k >> transfer.z.halved) + n) + coarse.y.place((j >> transfer.y.halved) + m);
        lines.weight[lines.count++] = weight;
      }
    }
    return lines;
  }
};

}  // namespace halocline::fractional
