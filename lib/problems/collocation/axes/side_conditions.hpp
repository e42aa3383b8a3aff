// SideConditions: alpha u + beta du/dn where alpha and beta vary along sides, or differ from piece to piece.
//
// At a node of a side the condition and its derivative along the side are two equations for the node's four unknowns
// (u, s_x u_x, s_y u_y, s_x s_y u_xy). They leave a plane of unknowns, spanned by two tangents, and fix what is
// orthogonal to it, the lifting of the data. With factors that do not vary these are the Kronecker products that
// axis.hpp and boundary.hpp have. In a corner both sides give two equations, of which three hold: those of the y side
// if it gives u, else those of the x side; and of the other side's the combination that says most beside them. (With
// constant factors the four have rank three; with others the one that is left out holds for smooth solutions whose data
// agree.)
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lib/problems/collocation/axes/axis.hpp"

namespace halocline::collocation {

// At a node of a side: factors and their derivatives along the side.
struct NodeCondition {
  double alpha = 1, beta = 0, alpha_slope = 0, beta_slope = 0;
  bool gives_u() const { return beta == 0; }
  bool operator==(const NodeCondition&) const = default;
};

// Of every node of the four sides, in the order of Side (boundary.hpp), from low to high coordinates; none of sides
// that are periodic.
struct SideConditions {
  std::array<std::vector<NodeCondition>, 4> sides;
  // Whether u itself enters nowhere.
  bool derivatives_only() const;
};

// Of one node on a side: unit vectors that are orthogonal, the second one zero in corners; and the lifting.
struct SideNode {
  std::array<std::array<double, 4>, 2> tangents{};
  std::array<double, 4> lifting{};
};

// Node (i, j) of the mesh of two axes, on a side. The conditions are those of this mesh or of one that is finer by a
// whole factor. `data` of the four sides: (value, scaled slope) of every node of this mesh; null: none, lifting 0.
SideNode side_node(const SideConditions& conditions, const std::array<std::vector<double>, 4>* data, const Axis& x,
                   const Axis& y, Index i, Index j);

// A node whose equations do not determine its tangents: at one of `side` both factors vanish but for rounding; in a
// corner the other side says nothing beside it. The latter can be only where both betas vanish, with slopes so that
// alpha_x alpha_y = beta_x' beta_y'.
struct WeakNode {
  Index i, j;
  std::size_t side;
  bool corner;
};
// Nothing when there is none. The conditions are those of this mesh; side_node() needs that there is none.
std::optional<WeakNode> weak_node(const SideConditions& conditions, const Axis& x, const Axis& y);

// Tangents of all nodes on sides, numbered as in side_layout.hpp: [node][2][4].
std::vector<double> side_tangents(const SideConditions& conditions, const Axis& x, const Axis& y);
// Liftings likewise: [node][4].
std::vector<double> side_liftings(const SideConditions& conditions, const std::array<std::vector<double>, 4>& data,
                                  const Axis& x, const Axis& y);

}  // namespace halocline::collocation
