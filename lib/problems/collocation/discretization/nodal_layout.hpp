// How a part stores Hermite unknowns, and equations, of its vertical grid lines for every method but the pentadiagonal
// Schur method (line_layout.hpp): line by line, component by component, nodes along the line in a row.
//
// Unknowns: component c = x_slope + 2 y_slope of node (i, j): u, s_x u_x, s_y u_y, s_x s_y u_xy without the part that
// the sides give (boundary.hpp). On a side the pair (v, w) across it is z t, t the unit tangent of its end condition
// (axis.hpp), and vectors hold v and w, not z. Since t has length 1, norms and dot products are those of the reduced
// unknowns, and no kernel has to treat a side in another way.
// Equations: component c = qx + 2 qy of node (i, j) is the equation at Gauss point (2i - 1 + qx, 2j - 1 + qy), one of
// the four nearest to the node. Components beyond the mesh are zero.
//
// Every component has `margin` zeros before node 0 and at least one behind node ny, so loops along a line may read the
// neighbors of every node.
//
// Along a periodic axis of n elements there are nodes 0 .. n - 1, and no sides: the node before node 0 is node n - 1.
// Vectors hold every node once, with zeros around; whoever needs the neighbors of the first and the last node takes
// them from the other end.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::collocation {

struct NodalBlock {
  Index first_line = 0, end_line = 0;  // own lines
  Index nx = 0, ny = 0;                // elements of the whole mesh
  bool periodic_x = false, periodic_y = false;

  static constexpr Index margin = 8;

  HALOCLINE_HD Index lines() const { return end_line - first_line; }
  HALOCLINE_HD Index nodes() const { return periodic_y ? ny : ny + 1; }      // along a line
  HALOCLINE_HD Index all_lines() const { return periodic_x ? nx : nx + 1; }  // of the mesh
  // Whether the line before the first own one is the last own one.
  HALOCLINE_HD bool wraps_x() const { return periodic_x && lines() == nx; }
  // Whether line i, or node j, lies on a side.
  HALOCLINE_HD bool on_x_min(Index i) const { return i == 0 && !periodic_x; }
  HALOCLINE_HD bool on_x_max(Index i) const { return i == nx && !periodic_x; }
  HALOCLINE_HD bool on_y_min(Index j) const { return j == 0 && !periodic_y; }
  HALOCLINE_HD bool on_y_max(Index j) const { return j == ny && !periodic_y; }
  HALOCLINE_HD bool on_side(Index i, Index j) const { return on_x_min(i) || on_x_max(i) || on_y_min(j) || on_y_max(j); }
  // The node of the mesh that a number from -ny to 2 ny - 1 means, along a periodic line.
  HALOCLINE_HD Index wrapped_node(Index j) const { return j < 0 ? j + ny : j < ny ? j : j - ny; }
  HALOCLINE_HD Index stride() const { return (margin + ny + 2 + 15) / 16 * 16; }
  HALOCLINE_HD Index line_size() const { return 4 * stride(); }
  HALOCLINE_HD Index size() const { return lines() * line_size(); }
  // Place of component c of node j within a line.
  HALOCLINE_HD Index place(int c, Index j) const { return c * stride() + margin + j; }
};

// Lines of one part and the neighboring parts' nearest lines; line -1 is the one before, line `count` the one behind.
// Beyond the mesh they are lines of zeros. Along a periodic axis a part's neighbor may be the part itself.
template <class T>
struct NodalLines {
  const T* own;
  const T *before, *behind;  // may be null where never read
  Index count, line_size;
  HALOCLINE_HD const T* line(Index i) const {
    if (i < 0) return before;
    return i < count ? own + i * line_size : behind;
  }
};

}  // namespace halocline::collocation
