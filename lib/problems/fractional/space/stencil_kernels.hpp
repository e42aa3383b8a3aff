// Stencil: rows of Lambda of all three axes at a node. Unknowns are all nodes but those of Dirichlet sides.
#pragma once

#include "lib/fields/error_kernels.hpp"
#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

struct NodePlace {
  Index at, i, j, k;  // j, k: global
};

// Axis: ConstantAxis or VaryingAxis.
template <class Axis>
struct Stencil {
  SlabLayout slab;
  Axis x, y, z;

  HALOCLINE_HD NodePlace place(Index line, Index i) const {
    return {slab.line(line) + i, i, slab.first_row + slab.y_of(line, 0), slab.first + slab.z_of(line, 0)};
  }
  HALOCLINE_HD bool is_unknown(const NodePlace& n) const {
    return !x.shape.is_dirichlet(n.i) && !y.shape.is_dirichlet(n.j) && !z.shape.is_dirichlet(n.k);
  }
  // The share of a cell that belongs to the node, with which Lambda is symmetric where nothing moves.
  HALOCLINE_HD double weight(const NodePlace& n) const {
    return x.shape.share(n.i) * y.shape.share(n.j) * z.shape.share(n.k);
  }
  HALOCLINE_HD double diagonal(const NodePlace& n) const {
    return x.template row<double>(n.at, n.i).di + y.template row<double>(n.at, n.j).di +
           z.template row<double>(n.at, n.k).di;
  }
  // Of w (1/nu - Lambda), the matrix of an unsplit step.
  HALOCLINE_HD double system_diagonal(const NodePlace& n, double nu) const {
    return weight(n) * (1 / nu - diagonal(n));
  }
  // By how much the diagonal of I - nu Lambda exceeds the other magnitudes of its row.
  HALOCLINE_HD double dominance(const NodePlace& n, double nu) const {
    const double sum = excess(x.template row<double>(n.at, n.i)) + excess(y.template row<double>(n.at, n.j)) +
                       excess(z.template row<double>(n.at, n.k));
    return fma(-nu, sum, 1.0);
  }
  // Lambda u, without data of sides. T: double or float, here and below.
  template <class T>
  HALOCLINE_HD double lambda(const NodePlace& n, const T* values) const {
    const auto u = [values](Index at) { return static_cast<double>(values[at]); };
    const AxisRow<double> rx = x.template row<double>(n.at, n.i), ry = y.template row<double>(n.at, n.j),
                          rz = z.template row<double>(n.at, n.k);
    double sum = (rx.di + ry.di + rz.di) * u(n.at);
    sum = fma(rx.lo, u(n.at + x.shape.before(n.i)), sum);
    sum = fma(rx.up, u(n.at + x.shape.behind(n.i)), sum);
    sum = fma(ry.lo, u(n.at + y.shape.before(n.j)), sum);
    sum = fma(ry.up, u(n.at + y.shape.behind(n.j)), sum);
    sum = fma(rz.lo, u(n.at + z.shape.before(n.k)), sum);
    return fma(rz.up, u(n.at + z.shape.behind(n.k)), sum);
  }

 private:
  HALOCLINE_HD static double excess(const AxisRow<double>& row) {
    return row.di + (magnitude(row.lo) + magnitude(row.up));
  }
};

// Calls (*this)(line, i) for a piece of a line on the host.
template <class Body>
struct NodeByNode {
  void row(Index line, Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) (*static_cast<const Body*>(this))(line, i);
  }
};

}  // namespace halocline::fractional
