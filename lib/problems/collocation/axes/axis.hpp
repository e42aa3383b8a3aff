// Axis: cubic Hermite collocation along one axis of a tensor-product mesh.
//
// Unknowns of node i are (v, w) = (u, s_i u'), s_i the local length: the mean of the adjacent element lengths, at an
// end the only one. Collocation points are the two Gauss points of every element; Gauss index g = 2e + q, q = 0, 1. At
// each end alpha u + beta du/dn is given, which leaves one unknown z there, (v, w) = z t, and 2n unknowns in all, in
// the order z_0, (v_1, w_1), ..., z_n, and 2n equations. Row 2e + q couples the unknowns 2e-1 .. 2e+2, so matrices are
// pentadiagonal.
//
// On a periodic axis nodes 0 and n are one, whose local length is the mean of the first and the last element's; there
// are 2n unknowns and equations without any condition.
#pragma once

#include <array>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline::collocation {

// What is given at one end: alpha u + beta du/dn, n outward; not both zero.
struct EndCondition {
  double alpha = 1, beta = 0;
  bool dirichlet() const { return beta == 0; }
  bool neumann() const { return alpha == 0; }
};

enum class End { low, high };

// An axis without ends: what lies beyond the last node is what lies behind the first one, which is the same node.
struct Periodic {};

class Axis {
 public:
  // Strictly increasing coordinates of at least two nodes.
  explicit Axis(std::vector<double> nodes, EndCondition low = {}, EndCondition high = {});
  Axis(std::vector<double> nodes, Periodic periodic);

  bool periodic() const { return periodic_; }
  Index elements() const { return static_cast<Index>(nodes_.size()) - 1; }
  Index unknowns() const { return 2 * elements(); }
  // Nodes that are not the same: of numbers 0 .. n, on a periodic axis 0 .. n - 1.
  Index distinct_nodes() const { return elements() + (periodic_ ? 0 : 1); }
  // The Gauss point 2 node - 1 + q, one of the two next to a node; on a periodic axis that of the other end where there
  // is none; else -1.
  Index gauss_of(Index node, Index q) const;
  const std::vector<double>& nodes() const { return nodes_; }
  const std::vector<double>& gauss() const { return gauss_; }  // 2n points, increasing
  double length(Index element) const { return nodes_[element + 1] - nodes_[element]; }
  double scale(Index node) const { return scale_[node]; }  // s_i
  double mean_length() const { return (nodes_.back() - nodes_.front()) / static_cast<double>(elements()); }
  bool uniform() const;  // element lengths equal up to a few units in the last place of the coordinates

  // Derivative `order` (0, 1, 2) of a Hermite function at Gauss point g = 2e + q, as coefficients of
  // (v_e, w_e, v_{e+1}, w_{e+1}).
  std::array<double, 4> row(int order, Index g) const;
  // The same for the unknowns 2e-1 .. 2e+2 that the end conditions leave; absent ones have coefficient 0.
  std::array<double, 4> eliminated_row(int order, Index g) const;

  const EndCondition& condition(End end) const { return end == End::low ? low_ : high_; }
  // Of an axis that is not periodic: the end condition as a functional of (v, w), and the vector it maps to 1 that is
  // shortest.
  std::array<double, 2> functional(End end) const;
  std::array<double, 2> lifting(End end) const;
  // t: unit vector that the functional maps to 0, its largest component positive.
  std::array<double, 2> tangent(End end) const;

  // Without every second node; elements() even. End conditions stay.
  Axis coarsened() const;
  // Of other nodes, with the end conditions of this axis, or periodic as this one.
  Axis with_nodes(std::vector<double> nodes) const;

  // Derivative at every node, times s_i, of a function known at the nodes and Gauss points: that of the polynomial of
  // degree 6 through the nodes and Gauss points of the two adjacent elements (at an end, of the nearest two elements;
  // with a single element, degree 3). Fourth order and better. For a function on a part of the axis: from node
  // `first_node` on as many as are given.
  std::vector<double> scaled_slopes(const std::vector<double>& at_nodes, const std::vector<double>& at_gauss,
                                    Index first_node = 0) const;

 private:
  std::vector<double> nodes_, gauss_, scale_;
  EndCondition low_, high_;
  bool periodic_ = false;
};

// Values of the four cubic Hermite shape functions (order 0) or their first derivatives (1) at t in [0, 1], order
// (v0, w0, v1, w1).
std::array<double, 4> hermite(int order, double t);
// Values of the four cubic Hermite shape functions (order 0) or their derivatives (1, 2) at the Gauss point q of the
// unit interval, order (v0, w0, v1, w1).
std::array<double, 4> hermite_at_gauss(int order, int q);

}  // namespace halocline::collocation
