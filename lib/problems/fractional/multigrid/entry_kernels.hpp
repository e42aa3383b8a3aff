// Bodies that make coefficients of every node: edges and masses of the finest level from rows of Lambda, edges of the
// next level from those of the one before. Masses go from level to level as residuals do.
#pragma once

#include "lib/problems/fractional/multigrid/transfer_kernels.hpp"
#include "lib/problems/fractional/space/stencil_kernels.hpp"

namespace halocline::fractional {

// The matrix w (1/nu - Lambda), but for what is not symmetric in it.
struct FirstEntries {
  Stencil<VaryingAxis> stencil;
  // Along x, y, z; towards: -1 or 1.
  HALOCLINE_HD double edge(const NodePlace& n, int axis, int towards) const {
    const double x = stencil.x.shape.share(n.i), y = stencil.y.shape.share(n.j), z = stencil.z.shape.share(n.k);
    if (axis == 0) return stencil.x.coupling(n.at, n.i, towards) * (y * z);
    if (axis == 1) return stencil.y.coupling(n.at, n.j, towards) * (x * z);
    return stencil.z.coupling(n.at, n.k, towards) * (x * y);
  }
  // A velocity may take from the diagonal, which is left out.
  HALOCLINE_HD double mass(const NodePlace& n, double nu) const {
    const double weight = stencil.weight(n);
    double rest = -weight * stencil.diagonal(n);
    for (int axis = 0; axis < 3; ++axis) rest -= edge(n, axis, -1) + edge(n, axis, 1);
    return weight / nu + positive_part(rest);
  }
};

struct LargestEdgeBody {
  FirstEntries of;
  HALOCLINE_HD double operator()(Index line, Index i) const {
    const NodePlace n = of.stencil.place(line, i);
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double edge = of.edge(n, axis, 1);
      most = edge > most ? edge : most;
    }
    return most;
  }
};

struct FirstEdgesBody : NodeByNode<FirstEdgesBody> {
  FirstEntries of;
  double scale;
  Real* to[3];
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const NodePlace n = of.stencil.place(line, i);
    for (int axis = 0; axis < 3; ++axis) to[axis][n.at] = static_cast<Real>(scale * of.edge(n, axis, 1));
  }
};

struct FirstMassBody : NodeByNode<FirstMassBody> {
  FirstEntries of;
  double scale;
  NodeValue nu;
  Real* to;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const NodePlace n = of.stencil.place(line, i);
    to[n.at] = static_cast<Real>(scale * of.mass(n, nu.load<double>(n.at)));
  }
};

// Edges of the next level: two in a row as one, and sums over the other axes, as restrictions take them.
struct CoarseEdgesBody : NodeByNode<CoarseEdgesBody> {
  LevelGrid fine;
  SlabLayout coarse;
  Transfer transfer;
  const Real* of[3];
  Real* to[3];

  HALOCLINE_HD void operator()(Index line, Index I) const {
    const Index node[3] = {I, coarse.y_of(line, 0), coarse.first + coarse.z_of(line, 0)};
    for (int axis = 0; axis < 3; ++axis) to[axis][coarse.line(line) + I] = static_cast<Real>(edge(axis, node));
  }

 private:
  HALOCLINE_HD const LevelAxis& axis_of(int axis) const { return axis == 0 ? fine.x : axis == 1 ? fine.y : fine.z; }
  HALOCLINE_HD const AxisTransfer& transfer_of(int axis) const {
    return axis == 0 ? transfer.x : axis == 1 ? transfer.y : transfer.z;
  }
  HALOCLINE_HD double edge(int axis, const Index* node) const {
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    double sum = 0;
    for (int n = 0; n < 3; ++n)
      for (int m = 0; m < 3; ++m) {
        const Real weight = transfer_of(p).weight(n, node[p]) * transfer_of(q).weight(m, node[q]);
        if (weight == 0) continue;
        sum += weight * in_a_row(axis, node[axis],
                                 axis_of(p).place(transfer_of(p).fine(node[p]) + n - 1) +
                                     axis_of(q).place(transfer_of(q).fine(node[q]) + m - 1));
      }
    return sum;
  }
  // From a node of the next level to the one behind it, on a line of the finer one.
  HALOCLINE_HD double in_a_row(int axis, Index from, Index line) const {
    const LevelAxis& of_axis = axis_of(axis);
    const Index i = transfer_of(axis).fine(from);
    const Index end = of_axis.low == End::periodic ? of_axis.rows : of_axis.rows - 1;  // where the last interval ends
    if (i >= end || transfer_of(axis).coarse_rows == 1) return 0;
    const double first = of[axis][line + of_axis.place(i)];
    if (transfer_of(axis).halved == 0 || i + 1 >= end) return first;
    return 0.5 * harmonic_mean(first, static_cast<double>(of[axis][line + of_axis.place(i + 1)]));
  }
};

}  // namespace halocline::fractional
