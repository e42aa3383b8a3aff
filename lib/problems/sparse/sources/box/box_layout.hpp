// BoxLayout: a uniform grid of unknowns in a box and how their rows are numbered: x fastest, or by bisection, see
// box_pieces_layout.hpp. Plain data for kernels.
#pragma once

#include "lib/problems/sparse/sources/box/box_pieces_layout.hpp"

namespace halocline::sparse {

struct BoxLayout {
  int dimensions = 3;
  bool points = false;    // unknowns on inner points, walls one spacing away; else in cells, walls half a spacing away
  bool bisected = false;  // how rows are numbered
  Index n[3] = {1, 1, 1};
  double spacing[3] = {1, 1, 1};
  double size[3] = {1, 1, 1};
  double origin[3] = {0, 0, 0};

  // Coordinates along an axis: of unknown i, of the face between unknowns i - 1 and i, of the low or high wall.
  double center(int axis, Index i) const {
    return origin[axis] + (static_cast<double>(i) + (points ? 1.0 : 0.5)) * spacing[axis];
  }
  double face(int axis, Index i) const {
    return origin[axis] + (static_cast<double>(i) + (points ? 0.5 : 0.0)) * spacing[axis];
  }
  double wall(int axis, int which) const { return which == 0 ? origin[axis] : origin[axis] + size[axis]; }

  HALOCLINE_HD Index rows() const { return n[0] * n[1] * n[2]; }
  HALOCLINE_HD Index lines() const { return n[1] * n[2]; }
  // How far apart in number neighbors along an axis are where x runs fastest.
  HALOCLINE_HD Index stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1]; }
  // Rows around a row: the whole box, or its last piece.
  HALOCLINE_HD BoxPiece around(Index row) const {
    return bisected ? piece_of_number(n, row) : BoxPiece{{0, 0, 0}, {n[0], n[1], n[2]}, 0};
  }
  HALOCLINE_HD void place(Index row, Index (&at)[3]) const { around(row).place(row, at); }
  // The row at a place; `near`: around() of one close to it.
  HALOCLINE_HD Index row(const BoxPiece& near, const Index (&at)[3]) const {
    return near.holds(at) ? near.number(at) : piece_of_place(n, at).number(at);
  }
  // Where x runs fastest, as output and files have it; and back.
  HALOCLINE_HD Index natural(Index row) const {
    Index at[3];
    place(row, at);
    return at[0] + n[0] * (at[1] + n[1] * at[2]);
  }
  HALOCLINE_HD Index from_natural(Index number) const {
    Index at[3];
    BoxPiece{{0, 0, 0}, {n[0], n[1], n[2]}, 0}.place(number, at);
    return bisected ? piece_of_place(n, at).number(at) : number;
  }

  // Positions on a side across `axis`: lines along `slow` of points along `fast`.
  HALOCLINE_HD static int fast(int axis) { return axis == 0 ? 1 : 0; }
  HALOCLINE_HD static int slow(int axis) { return axis == 2 ? 1 : 2; }
  HALOCLINE_HD Index side_size(int axis) const { return n[fast(axis)] * n[slow(axis)]; }
  HALOCLINE_HD Index side_position(int axis, const Index (&at)[3]) const {
    return at[slow(axis)] * n[fast(axis)] + at[fast(axis)];
  }

  // Entries of all rows below `row` on the stencil of 7 points (5 in 2D), where x runs fastest: one, and one for each
  // neighbor there is.
  HALOCLINE_HD Index star_entries_before(Index row) const {
    Index entries = row;
    for (int axis = 0; axis < dimensions; ++axis) {
      const Index step = stride(axis), period = step * n[axis], whole = row / period * step, rest = row % period;
      const Index first = whole + (rest < step ? rest : step);                         // rows without low neighbor
      const Index last = whole + (rest > period - step ? rest - (period - step) : 0);  // without high neighbor
      entries += 2 * row - first - last;
    }
    return entries;
  }
  // The same on the stencil of 27 points (9 in 2D).
  HALOCLINE_HD Index full_entries_before(Index row) const {
    Index at[3];
    BoxPiece{{0, 0, 0}, {n[0], n[1], n[2]}, 0}.place(row, at);
    Index entries = 0, all = 1;  // of lower places along lower axes; of all places along them
    for (int axis = 0; axis < 3; ++axis) {
      const Index here = axis < dimensions ? reach(axis, at[axis]) : 1;
      entries = (axis < dimensions ? reach_before(axis, at[axis]) : at[axis]) * all + here * entries;
      all *= axis < dimensions ? reach_before(axis, n[axis]) : n[axis];
    }
    return entries;
  }

  // Entries of the row at a place on either stencil.
  HALOCLINE_HD Index star_entries(const Index (&at)[3]) const {
    Index entries = 1;
    for (int axis = 0; axis < dimensions; ++axis) entries += reach(axis, at[axis]) - 1;
    return entries;
  }
  HALOCLINE_HD Index full_entries(const Index (&at)[3]) const {
    Index entries = 1;
    for (int axis = 0; axis < dimensions; ++axis) entries *= reach(axis, at[axis]);
    return entries;
  }

  // Unknowns at most one away from unknown i along an axis, itself included; and the sum of that below i.
  HALOCLINE_HD Index reach(int axis, Index i) const {
    if (i >= n[axis]) return 0;
    return 3 - (i == 0 ? 1 : 0) - (i == n[axis] - 1 ? 1 : 0);
  }
  HALOCLINE_HD Index reach_before(int axis, Index i) const { return i == 0 ? 0 : 3 * i - 1 - (i == n[axis] ? 1 : 0); }
};

}  // namespace halocline::sparse
