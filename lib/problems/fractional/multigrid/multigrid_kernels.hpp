// Bodies of smoothing and residuals on a level of multigrid: lines along x of a part x nodes. The matrix of a level has
// on its diagonal the mass of a node and the edges to its six neighbors, and minus these edges beside it:
//   A u = mass u + sum over neighbors of edge (u - u_neighbor)
// Edges that lead out of an axis are 0, so what lies beyond is read but does not count; it is finite, for there is room
// for a plane of ghosts on either side of a part. Nodes of Dirichlet sides hold 0.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

// Multigrid is a preconditioner, for which floats do.
using Real = float;

struct LevelAxis {
  Index rows = 1, first = 0, stride = 1;  // of the whole axis; the number of the part's first node; from node to node
  End low = End::natural, high = End::natural;
  bool wraps = false;  // neighbors around a periodic axis lie at its other end, not among ghosts

  // Where node number i lies; also the one before the first and the one behind the last.
  HALOCLINE_HD Index place(Index i) const {
    if (wraps && i < 0) i += rows;
    if (wraps && i >= rows) i -= rows;
    return (i - first) * stride;
  }
  HALOCLINE_HD Index before(Index i) const { return i == 0 && wraps ? (rows - 1) * stride : -stride; }
  HALOCLINE_HD Index behind(Index i) const { return i == rows - 1 && wraps ? (1 - rows) * stride : stride; }
  HALOCLINE_HD bool is_dirichlet(Index i) const {
    return (i == 0 && low == End::dirichlet) || (i == rows - 1 && high == End::dirichlet);
  }
};

// The nodes of a part on a level.
struct LevelGrid {
  SlabLayout slab;
  LevelAxis x, y, z;
};

// A line along x and where its neighbors lie.
struct LevelLine {
  Index at, j, k;  // k: global
  Index south, north, below, above;
  bool unknown;  // does not lie on a Dirichlet side of y or z
};
HALOCLINE_HD inline LevelLine level_line(const LevelGrid& grid, Index line) {
  const Index j = grid.slab.y_of(line, 0), k = grid.slab.first + grid.slab.z_of(line, 0);
  return {grid.slab.line(line),
          j,
          k,
          grid.y.before(j),
          grid.y.behind(j),
          grid.z.before(k),
          grid.z.behind(k),
          !grid.y.is_dirichlet(j) && !grid.z.is_dirichlet(k)};
}

struct NodeEntries {
  Real west, east, south, north, below, above, mass;
  HALOCLINE_HD Real diagonal() const { return ((west + east) + (south + north)) + ((below + above) + mass); }
};

// Coefficients of every node. Edges: to the node behind, along x, y and z.
struct OwnEntries {
  const Real *x = nullptr, *y = nullptr, *z = nullptr, *mass = nullptr;
  struct Line {
    const Real *x, *y, *z, *mass;
    Index south, below;
    // `before`: where the node before node i lies, from it.
    HALOCLINE_HD NodeEntries at(Index i, Index before) const {
      return {x[i + before], x[i], y[i + south], y[i], z[i + below], z[i], mass[i]};
    }
  };
  HALOCLINE_HD Line line(const LevelLine& l) const {
    return {x + l.at, y + l.at, z + l.at, mass + l.at, l.south, l.below};
  }
};

// Those that all lines have in common, by tables of the axes. `edge`: before node i.
struct AxisTable {
  const Real *edge = nullptr, *share = nullptr, *rest = nullptr;
};
struct CommonEntries {
  AxisTable x, y, z;
  Real inverse_nu = 0;
  struct Line {
    AxisTable x;
    Real across, rest;  // of what x has; of what the shares of x have
    Real south, north, below, above;
    HALOCLINE_HD NodeEntries at(Index i, Index /*before*/) const {
      const Real share = x.share[i];
      return {across * x.edge[i], across * x.edge[i + 1],           share * south, share * north, share * below,
              share * above,      across * x.rest[i] + share * rest};
    }
  };
  HALOCLINE_HD Line line(const LevelLine& l) const {
    const Real sy = y.share[l.j], sz = z.share[l.k];
    return {x,
            sy * sz,
            sy * sz * inverse_nu + (y.rest[l.j] * sz + sy * z.rest[l.k]),
            y.edge[l.j] * sz,
            y.edge[l.j + 1] * sz,
            sy * z.edge[l.k],
            sy * z.edge[l.k + 1]};
  }
};

// What bodies have in common that set `to` at the nodes of a level from what lies around them. Body: node(entries, f,
// line, place, before, behind), the value at a place of a line.
template <class Body, class Entries>
struct LevelBody {
  LevelGrid grid;
  Entries entries;
  const Real* f;
  Real* to;

  HALOCLINE_HD void operator()(Index line, Index i) const {
    const LevelLine l = level_line(grid, line);
    to[l.at + i] = l.unknown && !grid.x.is_dirichlet(i) ? value(l, entries.line(l), i) : 0;
  }
  void row(Index line, Index begin, Index end) const {
    const Body body = *static_cast<const Body*>(this);
    const LevelLine l = level_line(body.grid, line);
    Real* const out = body.to + l.at;
    if (!l.unknown) {
      for (Index i = begin; i < end; ++i) out[i] = 0;
      return;
    }
    const auto of = body.entries.line(l);
#pragma omp simd
    for (Index i = begin; i < end; ++i) out[i] = body.node(of.at(i, -1), l, l.at + i, -1, 1);
    for (const Index i : {begin, end - 1})
      if (body.grid.x.wraps || body.grid.x.is_dirichlet(i))
        out[i] = body.grid.x.is_dirichlet(i) ? 0 : body.value(l, of, i);
  }

 protected:
  template <class Line>
  HALOCLINE_HD Real value(const LevelLine& l, const Line& of, Index i) const {
    const Index before = grid.x.before(i);
    return static_cast<const Body*>(this)->node(of.at(i, before), l, l.at + i, before, grid.x.behind(i));
  }
  // A u
  HALOCLINE_HD static Real product(const NodeEntries& of, const Real* u, const LevelLine& l, Index at, Index before,
                                   Index behind) {
    const Real c = u[at];
    const Real along_x = of.west * (c - u[at + before]) + of.east * (c - u[at + behind]);
    const Real along_y = of.south * (c - u[at + l.south]) + of.north * (c - u[at + l.north]);
    const Real along_z = of.below * (c - u[at + l.below]) + of.above * (c - u[at + l.above]);
    return (along_x + along_y) + (along_z + of.mass * c);
  }
};

// to = factor f over the diagonal: a sweep from 0.
template <class Entries>
struct FirstSweepBody : LevelBody<FirstSweepBody<Entries>, Entries> {
  Real factor;
  HALOCLINE_HD Real node(const NodeEntries& of, const LevelLine& /*l*/, Index at, Index /*before*/,
                         Index /*behind*/) const {
    return factor * this->f[at] / of.diagonal();
  }
};

// to = u + factor (f - A u) over the diagonal
template <class Entries>
struct SweepBody : LevelBody<SweepBody<Entries>, Entries> {
  Real factor;
  const Real* u;
  HALOCLINE_HD Real node(const NodeEntries& of, const LevelLine& l, Index at, Index before, Index behind) const {
    const Real r = this->f[at] - this->product(of, u, l, at, before, behind);
    return u[at] + factor * r / of.diagonal();
  }
};

// to = f - A u
template <class Entries>
struct LevelResidualBody : LevelBody<LevelResidualBody<Entries>, Entries> {
  const Real* u;
  HALOCLINE_HD Real node(const NodeEntries& of, const LevelLine& l, Index at, Index before, Index behind) const {
    return this->f[at] - this->product(of, u, l, at, before, behind);
  }
};

}  // namespace halocline::fractional
