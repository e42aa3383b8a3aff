// Bodies of the host that solve lines whose rows are contiguous: rows of eight lines are transposed into a tile
// [row][line] and back.
#pragma once

#include "lib/linalg/strips/field_kernels.hpp"
#include "lib/linalg/strips/transpose_kernels.hpp"

namespace halocline::strips {

// Row i of line l lies at start(l) + i; memory of a line reaches to the next multiple of `lanes` rows. Lines lie
// `distance` from each other, or in blocks of `in_block` such lines, `block` from each other.
struct ContiguousLines {
  Index count = 0, distance = 0;
  Index in_block = 0, block = 0;  // 0: all lines in one block
  HALOCLINE_HD Index start(Index line) const {
    return in_block == 0 ? line * distance : line / in_block * block + line % in_block * distance;
  }
  Index of_block() const { return in_block == 0 ? count : in_block; }
  Index blocks() const { return in_block == 0 ? 1 : count / in_block; }
  // Of eight lines, the last ones of a block of fewer.
  Index tiles_of_block() const { return (of_block() + lanes - 1) / lanes; }
  Range<1> tiles() const { return {{0}, {blocks() * tiles_of_block()}}; }
  // The same for bodies of a thread per line.
  LineField field() const { return {blocks(), of_block(), block, 1, distance}; }
};

// Eight lines, or what is left of them, from `at` on.
struct LineTile {
  Index at, distance;
  int lines;
  LineTile(const ContiguousLines& all, Index tile) : distance(all.distance) {
    const Index of_block = all.tiles_of_block(), first = tile % of_block * lanes, left = all.of_block() - first;
    at = tile / of_block * all.block + first * all.distance;
    lines = static_cast<int>(left < lanes ? left : lanes);
  }

  // value(at): of eight rows of one line. The lanes of put(i, pack) are the lines; lanes without a line repeat the
  // first.
  template <class P, class Value, class Put>
  void gather(Index rows, const Value& value, const Put& put) const {
    for (Index i = 0; i < rows; i += lanes) {
      P p[lanes];
      for (int l = 0; l < lanes; ++l) p[l] = value(at + (l < lines ? l : 0) * distance + i);
      transpose(p);
      for (int k = 0; k < lanes && i + k < rows; ++k) put(i + k, p[k]);
    }
  }
  // take(at, pack) of eight rows of one line, zero behind the last.
  template <class P, class Get, class Take>
  void scatter(Index rows, const Get& get, const Take& take) const {
    for (Index i = 0; i < rows; i += lanes) {
      P p[lanes];
      for (int k = 0; k < lanes; ++k) p[k] = i + k < rows ? get(i + k) : zero<P>();
      transpose(p);
      for (int l = 0; l < lines; ++l) take(at + l * distance + i, p[l]);
    }
  }
};

template <class T, class Right, class Result>
struct TileBody {
  CommonLine<T> line;
  ContiguousLines lines;
  Right right;
  Result result;
  [[gnu::flatten]] void operator()(Index n) const {
    using P = Pack<T>;
    const TileBody body = *this;
    LocalValues<P, 2 * (most_strips_at_once + 2)> ends;
    LocalValues<P, most_strips_at_once * longest_strip> u;
    const LineTile tile(body.lines, n);
    tile.gather<P>(
        body.line.layout.rows, [&](Index at) { return body.right.template load<P>(at); },
        [&](Index i, const P& value) { u.set(i, value); });
    solve_line<P>(
        body.line, 1, [&](int) { return LocalEnds<P, 1>{ends.data}; }, [&](int, Index i) { return u.get(i); },
        [&](int, Index i, const P& g) { u.set(i, g); }, [&](int, Index i) { return u.get(i); },
        [&](int, Index i, const P& value) { u.set(i, value); });
    tile.scatter<P>(
        body.line.layout.rows, [&](Index i) { return u.get(i); },
        [&](Index at, const P& value) { body.result.take(at, value); });
  }
};

template <class T, class Rows, class Result>
struct OwnTileBody {
  OwnLine line;
  ContiguousLines lines;
  Rows rows;
  Result result;
  [[gnu::flatten]] void operator()(Index n) const {
    using P = Pack<T>;
    const OwnTileBody body = *this;
    LocalValues<P, 6 * (most_strips_at_once + 2)> ends;
    LocalValues<P, 4 * most_strips_at_once * longest_strip> row;  // LineRow, afterwards g, v, e, and u
    const LineTile tile(body.lines, n);
    const Index count = body.line.layout.rows;
    for (Index i = 0; i < count; i += lanes) {
      P p[4][lanes];
      for (int l = 0; l < lanes; ++l) {
        const LineRow<P> eight = body.rows.template row<P>(tile.at + (l < tile.lines ? l : 0) * tile.distance + i, i);
        p[0][l] = eight.before;
        p[1][l] = eight.diagonal;
        p[2][l] = eight.behind;
        p[3][l] = eight.right;
      }
      for (auto& of_eight : p) transpose(of_eight);
      for (int k = 0; k < lanes && i + k < count; ++k)
        for (int m = 0; m < 4; ++m) row.set(4 * (i + k) + m, p[m][k]);
    }
    solve_own_line<P>(
        body.line, 1, [&](int) { return LocalEnds<P, 3>{ends.data}; },
        [&](int, Index i) {
          return LineRow<P>{row.get(4 * i), row.get(4 * i + 1), row.get(4 * i + 2), row.get(4 * i + 3)};
        },
        [&](int, Index i, const EliminatedRow<P>& of) {
          row.set(4 * i, of.g);
          row.set(4 * i + 1, of.v);
          row.set(4 * i + 2, of.e);
        },
        [&](int, Index i) {
          return EliminatedRow<P>{row.get(4 * i), row.get(4 * i + 1), row.get(4 * i + 2)};
        },
        [&](int, Index i, const P& value) { row.set(4 * i + 3, value); });
    tile.scatter<P>(
        count, [&](Index i) { return row.get(4 * i + 3); },
        [&](Index at, const P& value) { body.result.take(at, value); });
  }
};

}  // namespace halocline::strips
