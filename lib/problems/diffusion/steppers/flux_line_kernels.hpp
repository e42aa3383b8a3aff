// Body for gpu/launch.hpp: steps in flux form on the host, line by line along x, with formulas evaluated in the same
// pass.
//
// A worker goes along the slow axis, in 3D with a tile of lines. Values of D that a formula gives lie in two rows
// (planes of a tile) that take turns, in the cache of a core. Means of D are computed once for each face and not once
// for each cell beside it, in loops of their own, for pieces of lines that stay in the first cache.
//
// Traffic of a step with D(c): c read once, next written once; 16 bytes a cell, 24 where the written line is read
// first.
#pragma once

#include <algorithm>
#include <utility>

#include "lib/fields/row_program_kernels.hpp"
#include "lib/problems/diffusion/steppers/flux_piece_kernels.hpp"

namespace halocline::diffusion {

template <FaceMean M, int Dimensions>
class FluxLines {
 public:
  // Lines of cells in a tile, 3D.
  static Index tile_of(const ConvolveBlock<double>& b) {
    constexpr Index most = 32768;  // values of D, and of faces across z, at hand
    return Dimensions == 2 ? 1 : std::clamp<Index>(most / (5 * b.extent[0]), 4, std::max<Index>(b.extent[1], 4));
  }
  // Values of memory that a worker needs.
  static Index scratch_of(const ConvolveBlock<double>& b, Index registers) {
    const Index lines = 2 * ring_lines(b) + 2 * tile_of(b) + 2;
    return registers * FormulaLines::most + lines * stride_of(b) + Piece::scratch + 2 * piece_stride + 10 * apart;
  }

  ConvolveBlock<double> b;
  FluxTerms f;
  FormulaLines D = {}, source = {};  // evaluated here; not given: f.D, f.source
  PointLargest largest = {};         // of D
  SlabBox cells = {};
  Index workers = 1, registers = 0;  // of the formulas
  double* scratch = nullptr;         // scratch_of() for each worker
  Index scratch_each = 0;

  // Rows (planes) of all tiles, one tile after the other, are shared out evenly.
  void operator()(Index worker) const {
    const SlabRows rows = cells.rows, along_y = cells.along_y;
    const Index count = rows.hi - rows.lo, step = tile_of(b), tiles = (along_y.hi - along_y.lo + step - 1) / step;
    const Index end = (worker + 1) * tiles * count / workers;
    Index at = worker * tiles * count / workers;
    if (at >= end) return;
    Worker tile(*this, scratch + worker * scratch_each);
    while (at < end) {
      const Index first = along_y.lo + at / count * step, from = at % count, to = std::min(count, from + end - at);
      tile.sweep({rows.lo + from, rows.lo + to}, first, std::min(first + step, along_y.hi));
      at += to - from;
    }
    if (largest.to != nullptr) atomic_raise(largest.to, tile.largest());
  }

 private:
  using Piece = FluxPiece<M, Dimensions>;
  static_assert(Piece::most % source_piece == 0);         // of FluxTerms::record
  static constexpr Index piece_stride = Piece::most + 8;  // faces of a piece, and the source
  static constexpr Index apart = 13 * 8;  // between arrays, which would otherwise lie in the same sets of a cache
  static Index stride_of(const ConvolveBlock<double>& b) { return (b.extent[0] + 7) / 8 * 8; }
  static Index ring_lines(const ConvolveBlock<double>& b) { return Dimensions == 3 ? tile_of(b) + 2 : 1; }

  class Worker {
   public:
    Worker(const FluxLines& all, double* memory) : all_(all), b_(all.b), stride_(stride_of(all.b)), memory_(memory) {
      registers_ = take(all.registers * FormulaLines::most);
      for (double*& lines : D_) lines = take(ring_lines(b_) * stride_);
      for (double*& lines : across_slow_) lines = take(tile_of(b_) * stride_);
      for (double*& line : across_y_) line = take(stride_);
      along_x_ = take(piece_stride);
      source_ = take(piece_stride);
      ghosts_ = take(Piece::scratch);
    }
    double largest() const { return *std::max_element(largest_, largest_ + noted); }

    // Rows (planes) of the slow axis, lines first to end of each in 3D.
    void sweep(Rows rows, Index first, Index end) {
      first_ = first;
      for (Index slow = rows.lo - 1; varies && slow <= rows.lo; ++slow) {
        for (Index line = first; line < end; ++line) evaluate(slow, line, whole());
        if (slow == rows.lo) evaluate_beside(slow, first, end);
      }
      for (Index line = first; varies && line < end; ++line) mean_slow(0, rows.lo, line, whole());
      for (Index slow = rows.lo; slow < rows.hi; ++slow) {
        if (varies) evaluate_beside(slow + 1, first, end);
        for (Index line = first; line < end; ++line)
          for (Index from = 0; from < b_.extent[0]; from += Piece::most)
            advance(slow, line, {from, std::min(from + Piece::most, b_.extent[0])}, line == first);
      }
    }

   private:
    static constexpr bool varies = M != FaceMean::constant;
    static constexpr Index noted = 16;
    struct Cut {
      Index from, to;  // cells of a line
    };
    Cut whole() const { return {0, b_.extent[0]}; }
    double* take(Index count) { return std::exchange(memory_, memory_ + count + apart); }
    static Index z_of(Index slow) { return Dimensions == 3 ? slow : 0; }
    static Index y_of(Index slow, Index line) { return Dimensions == 3 ? line : slow; }

    // Whether there is D at a place along y or z: in the part, its halo, or on the other side, where it turns to.
    bool known(int axis, Index& place) const {
      const Index n = b_.extent[axis];
      if (place >= 0 && place < n) return true;
      const WallKind kind = b_.walls[axis][place < 0 ? 0 : 1].kind;
      if (kind == WallKind::periodic) place += place < 0 ? n : -n;
      return kind != WallKind::affine;
    }
    double* ring(Index slow, Index line) const {
      return D_[slow & 1] + (Dimensions == 3 ? line - first_ + 1 : 0) * stride_;
    }
    // D of a line; null: beyond a wall.
    const double* line_of_D(Index slow, Index line) const {
      Index z = z_of(slow), y = y_of(slow, line);
      if (!known(1, y) || (Dimensions == 3 && !known(2, z))) return nullptr;
      return all_.D.given() ? ring(slow, line) : all_.f.D + b_.offset(z, y, 0);
    }

    // D of a line, where a formula gives it.
    void evaluate(Index slow, Index line, Cut cut) {
      if (!all_.D.given()) return;
      Index z = z_of(slow), y = y_of(slow, line);
      if (!known(1, y) || (Dimensions == 3 && !known(2, z))) return;
      double* const to = ring(slow, line);
      for (Index from = cut.from; from < cut.to; from += FormulaLines::most) {
        const Index count = std::min(FormulaLines::most, cut.to - from);
        keep(all_.D(z, y, from, count, registers_), count, to + from);
      }
    }
    // Several largest values at a time, as each waits for the one before it.
    void keep(const ProgramInput& values, Index count, double* to) {
      const double* const from = values.values;
      const PointLargest rule = all_.largest;
      const auto larger = [&rule](double largest, double value) {
        const double counted = rule.counted(value);
        return counted > largest ? counted : largest;
      };
      if (values.constant) {
        std::fill(to, to + count, *from);
        largest_[0] = larger(largest_[0], *from);
        return;
      }
      double most[noted];
      std::copy(largest_, largest_ + noted, most);
      Index i = 0;
      for (; i + noted <= count; i += noted)
#pragma omp simd
        for (Index k = 0; k < noted; ++k) to[i + k] = from[i + k], most[k] = larger(most[k], from[i + k]);
      for (; i < count; ++i) to[i] = from[i], most[0] = larger(most[0], from[i]);
      std::copy(most, most + noted, largest_);
    }
    // The same of the lines beside a tile.
    void evaluate_beside(Index slow, Index first, Index end) {
      if (Dimensions == 2) return;
      evaluate(slow, first - 1, whole());
      evaluate(slow, end, whole());
    }

    // D on the faces between a line and the next one along an axis.
    void mean(int axis, int side, Index slow, Index line, const double* other, Cut cut, double* to) const {
      const double* const own = line_of_D(slow, line);
      if (other == nullptr) {
        for (Index x = cut.from; x < cut.to; ++x)
          to[x] = flux::on_wall<M>(b_, all_.f, axis, side, z_of(slow), y_of(slow, line), x, own[x]);
      } else {
#pragma omp simd
        for (Index x = cut.from; x < cut.to; ++x) to[x] = flux::between<M>(own[x], other[x]);
      }
    }
    double* across_slow(Index slow, Index line) const { return across_slow_[slow & 1] + (line - first_) * stride_; }
    void mean_slow(int side, Index slow, Index line, Cut cut) const {
      const double* const other = line_of_D(slow + 2 * side - 1, line);
      mean(Dimensions - 1, side, slow, line, other, cut, across_slow(slow + side, line));
    }
    void mean_y(int side, Index slow, Index line, Cut cut) const {
      mean(1, side, slow, line, line_of_D(slow, line + 2 * side - 1), cut, across_y_[(line + side) & 1]);
    }
    // On faces cut.from to cut.to across x.
    void mean_x(Index slow, Index line, Cut cut) const {
      const Index n = b_.extent[0];
      const double* const own = line_of_D(slow, line) + cut.from;
      double* const to = along_x_;
      const Index lo = cut.from == 0 ? 1 : 0, hi = cut.to - cut.from + (cut.to == n ? 0 : 1);
#pragma omp simd
      for (Index i = lo; i < hi; ++i) to[i] = flux::between<M>(own[i - 1], own[i]);
      if (cut.from == 0) to[0] = at_end(0, slow, line, own[0], own[n - 1]);
      if (cut.to == n) to[hi] = at_end(1, slow, line, own[hi - 1], own[-cut.from]);
    }
    double at_end(int side, Index slow, Index line, double own, double other) const {
      if (b_.walls[0][side].kind != WallKind::affine) return flux::between<M>(own, other);
      const Index x = side == 0 ? 0 : b_.extent[0] - 1;
      return flux::on_wall<M>(b_, all_.f, 0, side, z_of(slow), y_of(slow, line), x, own);
    }

    // What the next row (plane) reads and writes first. Between formulas and fluxes of a piece the processor would
    // fetch too little ahead by itself. Inlined always: a call of what has no effect is left out.
    [[gnu::always_inline]] void fetch(Index slow, Index line, Cut cut) const {
      constexpr Index step = 8;  // a cache line
      const Index at = b_.offset(z_of(slow), y_of(slow, line), 0), stride = b_.slow_stride();
      const double *const c = b_.c + at + 2 * stride, *const next = b_.next + at + stride;
      for (Index x = cut.from; x < cut.to; x += step) {
        __builtin_prefetch(c + x, 0, 2);
        __builtin_prefetch(next + x, 1, 2);
      }
    }

    // Cells of a line.
    void advance(Index slow, Index line, Cut cut, bool first) {
      const LinePiece piece{z_of(slow), y_of(slow, line), cut.from, cut.to - cut.from};
      flux::PieceFaces faces;
      if constexpr (varies) {
        evaluate(slow + 1, line, cut);
        if (all_.D.given()) fetch(slow, line, cut);
        mean_x(slow, line, cut);
        mean_slow(1, slow, line, cut);
        faces.x = along_x_;
        auto& of_slow = Dimensions == 3 ? faces.z : faces.y;
        for (int side = 0; side < 2; ++side) of_slow[side] = across_slow(slow + side, line) + cut.from;
        if constexpr (Dimensions == 3) {
          if (first) mean_y(0, slow, line, cut);
          mean_y(1, slow, line, cut);
          for (int side = 0; side < 2; ++side) faces.y[side] = across_y_[(line + side) & 1] + cut.from;
        }
      }
      const Piece update(b_, all_.f, ghosts_);
      const double* const source = source_of(piece);
      if (source == nullptr) return update.update(piece, faces, NoSource{});
      update.update(piece, faces, source);
      if (all_.f.record.kept()) all_.f.record.add_cells(piece.z, piece.y, piece.from, source, piece.count);
    }
    // Of a piece; null: there is none.
    const double* source_of(const LinePiece& p) const {
      if (!all_.source.given()) return all_.f.source ? all_.f.source + b_.offset(p.z, p.y, p.from) : nullptr;
      const ProgramInput source = all_.source(p.z, p.y, p.from, p.count, registers_);
      if (!source.constant) return source.values;
      std::fill(source_, source_ + p.count, *source.values);
      return source_;
    }
    struct NoSource {
      double operator[](Index) const { return 0; }
    };

    const FluxLines& all_;
    const ConvolveBlock<double>& b_;
    Index stride_, first_ = 0;
    double* memory_;
    double *registers_, *D_[2], *across_slow_[2], *across_y_[2], *along_x_, *source_, *ghosts_;
    double largest_[noted] = {};
  };
};

}  // namespace halocline::diffusion
