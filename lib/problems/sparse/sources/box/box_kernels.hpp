// Bodies for gpu/launch.hpp: rows of a box by finite volumes, and what is wrong with their coefficients.
//
// For unknown i in a volume V with faces of area A to neighbors j at distance h: conductance t = A k_f / h, k_f the
// harmonic mean of k at i and j times the axis's factor; flux F = A v.n at the face, n outward, taken upwind:
//   a_ij = -t + min(F, 0),  a_ii = sum (t + max(F, 0)) + c V,  f_i = q V.
// At a wall that gives u: in cells t = A k_w / (h/2), k_w at the wall; on points t = A (k + k_w)/2 / h; f gains
// (t - min(F, 0)) u. At a wall that gives the flux k du/dn: f gains it times A, and F leaves only.
//
// Rows are compiled without fused multiply-add, so that a_ij and a_ji have the same bits, on every device.
#pragma once

#include <cmath>

#include "lib/base/view.hpp"
#include "lib/problems/sparse/sources/box/box_layout.hpp"
#include "lib/problems/sparse/sources/box/random_field_kernels.hpp"

namespace halocline::sparse {

// Values on consecutive rows (faces, positions of a side), or one number for all.
struct Values {
  const double* data = nullptr;
  Index first = 0;  // number of data[0]
  double number = 0;
  HALOCLINE_HD double operator()(Index n) const { return data != nullptr ? data[n - first] : number; }
};

struct BoxWall {
  bool neumann = false;
  Values value, k;  // by position on the side; k for a given u alone
};

// What rows are computed from, in memory of one executor.
struct BoxTerms {
  BoxLayout layout;
  Values k, reaction, source;  // by row
  Values beside[3][2];         // k of the low and the high neighbor of each row; of rows that are bisected
  bool convection = false;
  Values through[3][2];  // velocity along the axis on the low and high face of each row
  double anisotropy[3] = {1, 1, 1};
  double area[3] = {1, 1, 1}, volume = 1;
  BoxWall walls[3][2];

  HALOCLINE_HD double k_beside(int axis, int side, Index row) const {
    if (layout.bisected) return beside[axis][side](row);
    return k(side == 0 ? row - layout.stride(axis) : row + layout.stride(axis));
  }
};

struct BoxRow {
  double off[3][2];   // to the low and the high neighbor, where there is one
  bool inside[3][2];  // whether there is
  double diagonal, rhs;
};

HALOCLINE_HD inline double conductivity_between(double a, double b) { return 2 * a * b / (a + b); }

HALOCLINE_HD inline BoxRow box_row(const BoxTerms& b, Index row) {
  Index at[3];
  b.layout.place(row, at);
  BoxRow made;
  const double k = b.k(row);
  made.diagonal = b.reaction(row) * b.volume;
  made.rhs = b.source(row) * b.volume;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      made.inside[axis][side] = side == 0 ? at[axis] > 0 : at[axis] < b.layout.n[axis] - 1;
      if (axis >= b.layout.dimensions) continue;
      const double h = b.layout.spacing[axis], area = b.area[axis], along = b.anisotropy[axis];
      const double v = b.convection ? b.through[axis][side](row) : 0;
      const double flux = area * (side == 0 ? -v : v);
      const double in = flux < 0 ? flux : 0, out = flux > 0 ? flux : 0;
      if (made.inside[axis][side]) {
        const double t = area * (conductivity_between(k, b.k_beside(axis, side, row)) * along) / h;
        made.off[axis][side] = in - t;
        made.diagonal += t + out;
        continue;
      }
      const BoxWall& wall = b.walls[axis][side];
      const Index position = b.layout.side_position(axis, at);
      if (wall.neumann) {
        made.diagonal += out;
        made.rhs += wall.value(position) * area;
        continue;
      }
      const double t = b.layout.points ? area * ((k + wall.k(position)) / 2 * along) / h
                                       : area * (wall.k(position) * along) / (h / 2);
      made.diagonal += t + out;
      made.rhs += (t - in) * wall.value(position);
    }
  }
  return made;
}

struct StarEntries {
  BoxLayout layout;
  HALOCLINE_HD Index operator()(Index row) const { return layout.star_entries_before(row); }
};
struct StarEntriesOfRow {
  BoxLayout layout;
  HALOCLINE_HD Index operator()(Index row) const {
    Index at[3];
    layout.place(row, at);
    return layout.star_entries(at);
  }
};

// A row that is filled in any order of its columns.
struct SortedEntries {
  Index* col;
  double* val;
  Index count = 0;
  HALOCLINE_HD void put(Index column, double value) {
    Index at = count++;
    for (; at > 0 && col[at - 1] > column; --at) {
      col[at] = col[at - 1];
      val[at] = val[at - 1];
    }
    col[at] = column;
    val[at] = value;
  }
};

// Bodies that fill rows: those from `first` on, [row - first].
struct StarRowsBody {
  BoxTerms terms;
  Index first;
  View<const Index, 1> ptr;
  View<Index, 1> col;
  View<double, 1> val;

  HALOCLINE_HD void operator()(Index n) const {
    const Index row = first + n;
    const BoxRow made = box_row(terms, row);
    const BoxPiece around = terms.layout.around(row);
    SortedEntries to{col.data + ptr(n), val.data + ptr(n)};
    for (int axis = terms.layout.dimensions - 1; axis >= 0; --axis)
      if (made.inside[axis][0]) to.put(neighbor(around, row, axis, -1), made.off[axis][0]);
    to.put(row, made.diagonal);
    for (int axis = 0; axis < terms.layout.dimensions; ++axis)
      if (made.inside[axis][1]) to.put(neighbor(around, row, axis, 1), made.off[axis][1]);
  }

 private:
  HALOCLINE_HD Index neighbor(const BoxPiece& around, Index row, int axis, int step) const {
    if (!terms.layout.bisected) return row + step * terms.layout.stride(axis);
    Index at[3];
    around.place(row, at);
    at[axis] += step;
    return terms.layout.row(around, at);
  }
};

struct BoxRhsBody {
  BoxTerms terms;
  Index first;
  View<double, 1> rhs;
  HALOCLINE_HD void operator()(Index n) const { rhs(n) = box_row(terms, first + n).rhs; }
};

struct FullEntries {
  BoxLayout layout;
  HALOCLINE_HD Index operator()(Index row) const { return layout.full_entries_before(row); }
};
struct FullEntriesOfRow {
  BoxLayout layout;
  HALOCLINE_HD Index operator()(Index row) const {
    Index at[3];
    layout.place(row, at);
    return layout.full_entries(at);
  }
};

// -1 to all neighbors at most one away along every axis, and as many as there are inside on the diagonal; the right
// side is the sum of the row.
struct HpcgRowsBody {
  BoxLayout layout;
  Index first;
  View<const Index, 1> ptr;
  View<Index, 1> col;
  View<double, 1> val;

  HALOCLINE_HD static double diagonal(const BoxLayout& layout) { return layout.dimensions == 3 ? 26 : 8; }
  HALOCLINE_HD void operator()(Index n) const {
    const Index row = first + n;
    const BoxPiece around = layout.around(row);
    SortedEntries to{col.data + ptr(n), val.data + ptr(n)};
    Index place[3], at[3];
    around.place(row, place);
    for (at[2] = low(place, 2); at[2] <= high(place, 2); ++at[2])
      for (at[1] = low(place, 1); at[1] <= high(place, 1); ++at[1])
        for (at[0] = low(place, 0); at[0] <= high(place, 0); ++at[0]) {
          const Index column = layout.row(around, at);
          to.put(column, column == row ? diagonal(layout) : -1);
        }
  }

 private:
  HALOCLINE_HD Index low(const Index (&place)[3], int axis) const { return place[axis] > 0 ? place[axis] - 1 : 0; }
  HALOCLINE_HD Index high(const Index (&place)[3], int axis) const {
    return place[axis] < layout.n[axis] - 1 ? place[axis] + 1 : place[axis];
  }
};

struct HpcgRhsBody {
  BoxLayout layout;
  Index first;
  View<double, 1> rhs;
  HALOCLINE_HD void operator()(Index n) const {
    const Index entries = FullEntriesOfRow{layout}(first + n);
    rhs(n) = HpcgRowsBody::diagonal(layout) - static_cast<double>(entries - 1);
  }
};

// k times the factor of a random medium, on consecutive rows or on what lies a step along an axis from each; or on a
// side with the factor of the unknown beside it.
struct ScaleRowsBody {
  BoxLayout layout;
  RandomField random;
  Index first;
  View<double, 1> k;
  int axis = 0, step = 0;
  HALOCLINE_HD void operator()(Index n) const {
    Index at[3];
    layout.place(first + n, at);
    at[axis] += step;
    if (at[axis] < 0 || at[axis] >= layout.n[axis]) return;
    k(n) *= random(at[0], at[1], at[2]);
  }
};

// Coordinates of consecutive rows, one axis after the other, out of those of places along each.
struct PlacesBody {
  BoxLayout layout;
  Index first, rows;
  const double* along[3];
  double* to;
  HALOCLINE_HD void operator()(Index n) const {
    Index at[3];
    layout.place(first + n, at);
    for (int axis = 0; axis < 3; ++axis) to[axis * rows + n] = along[axis][at[axis]];
  }
};

struct ScaleSideBody {
  BoxLayout layout;
  RandomField random;
  int axis, side;
  View<double, 1> k;
  HALOCLINE_HD void operator()(Index position) const {
    Index at[3];
    const Index across = layout.n[BoxLayout::fast(axis)];
    at[axis] = side == 0 ? 0 : layout.n[axis] - 1;
    at[BoxLayout::slow(axis)] = position / across;
    at[BoxLayout::fast(axis)] = position % across;
    k(position) *= random(at[0], at[1], at[2]);
  }
};

// Why a row cannot be made.
enum class BoxFault : int { none, k, reaction, source, velocity, wall_k, wall_value, inflow };

HALOCLINE_HD inline bool is_finite(double value) { return value - value == 0; }
HALOCLINE_HD inline bool is_positive(double value) { return value > 0 && is_finite(value); }

// The first fault of a row, with the axis and the side where it is one of a face.
struct FaultOfRow {
  BoxFault fault = BoxFault::none;
  int axis = 0, side = 0;
};

HALOCLINE_HD inline FaultOfRow fault_of_row(const BoxTerms& b, Index row) {
  if (!is_positive(b.k(row))) return {BoxFault::k};
  if (!is_finite(b.reaction(row))) return {BoxFault::reaction};
  if (!is_finite(b.source(row))) return {BoxFault::source};
  Index at[3];
  b.layout.place(row, at);
  for (int axis = 0; axis < b.layout.dimensions; ++axis)
    for (int side = 0; side < 2; ++side) {
      const double v = b.convection ? b.through[axis][side](row) : 0;
      if (!is_finite(v)) return {BoxFault::velocity, axis, side};
      if (side == 0 ? at[axis] > 0 : at[axis] < b.layout.n[axis] - 1) continue;
      const BoxWall& wall = b.walls[axis][side];
      const Index position = b.layout.side_position(axis, at);
      if (!is_finite(wall.value(position))) return {BoxFault::wall_value, axis, side};
      if (!wall.neumann && !is_positive(wall.k(position))) return {BoxFault::wall_k, axis, side};
      if (wall.neumann && (side == 0 ? v > 0 : v < 0)) return {BoxFault::inflow, axis, side};
    }
  return {};
}

struct TellFaultBody {
  BoxTerms terms;
  Index row;
  View<FaultOfRow, 1> to;
  HALOCLINE_HD void operator()(Index) const { to(0) = fault_of_row(terms, row); }
};

struct Lower {
  HALOCLINE_HD Index operator()(Index a, Index b) const { return b < a ? b : a; }
};

// The row's own number when something is wrong with it, else `none`.
struct FaultyRowBody {
  BoxTerms terms;
  Index none;
  HALOCLINE_HD Index operator()(Index row) const {
    return fault_of_row(terms, row).fault == BoxFault::none ? none : row;
  }
};

}  // namespace halocline::sparse
