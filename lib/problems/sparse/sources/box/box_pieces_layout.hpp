// Bisection of a box: a numbering of its points under which any run of numbers is compact, so that parts that hold
// consecutive rows have small surfaces, however many parts there are.
//
// A box is cut across its longest axis into halves, the lower one numbered first, until a piece has few points; these
// are numbered x fastest. x counts as half as long: lines of pieces are long, for caches and vector units. Depends on
// the lengths of the box alone. Plain data for kernels.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::sparse {

// Points lo[axis] ... lo[axis] + n[axis] - 1, numbered from `first` on.
struct BoxPiece {
  static constexpr Index most = 1024;  // points of a piece that is not cut any more

  Index lo[3] = {0, 0, 0}, n[3] = {1, 1, 1};
  Index first = 0;

  HALOCLINE_HD Index size() const { return n[0] * n[1] * n[2]; }
  // Across which the piece is cut; it has two points there at least if it has more than one at all.
  HALOCLINE_HD int longest() const {
    int axis = 0;
    for (int other = 1; other < 3; ++other)
      if (n[other] > 1 && (n[axis] == 1 || weight(other) > weight(axis))) axis = other;
    return axis;
  }
  // Keeps the lower half, of `half` points along an axis, or the upper one.
  HALOCLINE_HD void keep(int axis, Index half, bool upper) {
    if (!upper) {
      n[axis] = half;
      return;
    }
    first += size() / n[axis] * half;
    lo[axis] += half;
    n[axis] -= half;
  }

  HALOCLINE_HD bool holds(const Index (&at)[3]) const {
    for (int axis = 0; axis < 3; ++axis)
      if (at[axis] < lo[axis] || at[axis] >= lo[axis] + n[axis]) return false;
    return true;
  }
  // Of a point that the piece holds; and back.
  HALOCLINE_HD Index number(const Index (&at)[3]) const {
    return first + at[0] - lo[0] + n[0] * (at[1] - lo[1] + n[1] * (at[2] - lo[2]));
  }
  HALOCLINE_HD void place(Index number, Index (&at)[3]) const {
    const Index own = number - first, line = own / n[0];
    at[0] = lo[0] + own - line * n[0];
    at[2] = line / n[1];
    at[1] = lo[1] + line - at[2] * n[1];
    at[2] += lo[2];
  }

 private:
  HALOCLINE_HD Index weight(int axis) const { return axis == 0 ? n[0] : 2 * n[axis]; }
};

// The last piece with the point of that number, or at that place, in a box of these lengths.
HALOCLINE_HD inline BoxPiece piece_of_number(const Index (&lengths)[3], Index number) {
  BoxPiece piece{{0, 0, 0}, {lengths[0], lengths[1], lengths[2]}, 0};
  while (piece.size() > BoxPiece::most) {
    const int axis = piece.longest();
    const Index half = piece.n[axis] / 2;
    piece.keep(axis, half, number - piece.first >= piece.size() / piece.n[axis] * half);
  }
  return piece;
}
HALOCLINE_HD inline BoxPiece piece_of_place(const Index (&lengths)[3], const Index (&at)[3]) {
  BoxPiece piece{{0, 0, 0}, {lengths[0], lengths[1], lengths[2]}, 0};
  while (piece.size() > BoxPiece::most) {
    const int axis = piece.longest();
    const Index half = piece.n[axis] / 2;
    piece.keep(axis, half, at[axis] - piece.lo[axis] >= half);
  }
  return piece;
}

}  // namespace halocline::sparse
