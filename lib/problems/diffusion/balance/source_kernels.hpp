// What a source adds to the mass, as steps apply it: sums of the source over pieces of lines along x in a fixed order,
// each added to a record of its piece (sums with compensation) times the time for which the step takes it. Lines belong
// to one part as a whole, so records have the same bits on any layout and any kind of device.
//
// Traffic: 32 bytes for a piece, 1/8 byte a cell, where the source is at hand; 8 bytes a cell where it is read again.
#pragma once

#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

constexpr Index source_piece = 256;  // cells of a line
constexpr int source_lanes = 16;     // running sums of a piece, joined pairwise, those half of the lanes apart first

// Of a part, piece after piece of line after line; lines are counted as SlabLayout does.
struct SourceRecord {
  double *sum = nullptr, *carry = nullptr;  // null: nothing is kept
  Index pieces = 0;                         // of a line
  Index lines_of_plane = 1;
  double share = 0;  // time for which the source counts

  HALOCLINE_HD bool kept() const { return sum != nullptr; }
  HALOCLINE_HD Index line(Index z, Index y) const { return z * lines_of_plane + y; }
  HALOCLINE_HD void add(Index piece, double source) const { add_compensated(sum[piece], carry[piece], share * source); }

  // Sources of cells from .. from + count - 1 of a line, `from` a multiple of source_piece.
  HALOCLINE_HD void add_cells(Index z, Index y, Index from, const double* source, Index count) const {
    Index piece = line(z, y) * pieces + from / source_piece;
    for (Index at = 0; at < count; at += source_piece, ++piece)
      add(piece, sum_of_piece(source + at, count - at < source_piece ? count - at : source_piece));
  }

 private:
  HALOCLINE_HD static double sum_of_piece(const double* source, Index count) {
    double sums[source_lanes] = {};
    const Index whole = count / source_lanes * source_lanes;
    for (Index x = 0; x < whole; x += source_lanes)
#pragma omp simd
      for (int lane = 0; lane < source_lanes; ++lane) sums[lane] += source[x + lane];
    for (Index x = whole; x < count; ++x) sums[x - whole] += source[x];
    for (int half = source_lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
  }
};

// The lines along x of a box of a part's cells.
struct BoxLines {
  SlabBox cells;
  int dimensions;
  HALOCLINE_HD Index inner() const { return cells.along_y.hi - cells.along_y.lo; }
  HALOCLINE_HD Index count() const { return (cells.rows.hi - cells.rows.lo) * inner(); }
  HALOCLINE_HD Index z_of(Index n) const { return dimensions == 3 ? cells.rows.lo + n / inner() : 0; }
  HALOCLINE_HD Index y_of(Index n) const {
    return dimensions == 3 ? cells.along_y.lo + n % inner() : cells.rows.lo + n;
  }
};

// The same for launch_joined(), of the lines of a box; `of(z, y, x)`: the source of a cell.
template <class Of>
struct RecordedPieces {
  SourceRecord record;
  Index columns;
  BoxLines lines;
  Of of;

  HALOCLINE_HD double share(Index n, int lane, int lanes) const {
    const Index number = n / record.pieces, from = n % record.pieces * source_piece;
    const Index end = columns - from < source_piece ? columns : from + source_piece;
    const Index z = lines.z_of(number), y = lines.y_of(number);
    double sum = 0;
    for (Index x = from + lane; x < end; x += lanes) sum += of(z, y, x);
    return sum;
  }
  HALOCLINE_HD void finish(Index n, double sum) const {
    const Index number = n / record.pieces;
    record.add(record.line(lines.z_of(number), lines.y_of(number)) * record.pieces + n % record.pieces, sum);
  }
};

// A source in memory.
struct StoredSource {
  SlabLayout slab;
  const double* values;
  HALOCLINE_HD double operator()(Index z, Index y, Index x) const { return values[slab.offset(z, y, x)]; }
};

}  // namespace halocline::diffusion
