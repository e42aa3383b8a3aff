// Bodies for gpu/launch.hpp: rows of linear elasticity on cubes of edge 1. Three unknowns a node, node by node, x
// fastest; nodes at x = 0 are clamped and left out. Compiled without fused multiply-add.
#pragma once

#include "lib/base/view.hpp"
#include "lib/problems/sparse/sources/box/box_layout.hpp"

namespace halocline::sparse {

struct ElasticLayout {
  Index elements[3] = {1, 1, 1};

  HALOCLINE_HD BoxLayout nodes() const {
    BoxLayout made;
    made.n[0] = elements[0];
    made.n[1] = elements[1] + 1;
    made.n[2] = elements[2] + 1;
    return made;
  }
  HALOCLINE_HD Index rows() const { return 3 * nodes().rows(); }
  // A node is coupled with those at most one away along every axis, three unknowns with three.
  HALOCLINE_HD Index entries_before(Index row) const {
    const BoxLayout all = nodes();
    const Index node = row / 3, before = all.full_entries_before(node);
    const Index own = row % 3 == 0 ? 0 : all.full_entries_before(node + 1) - before;
    return 9 * before + 3 * (row % 3) * own;
  }
  // Cubes around node `place`, whose x counts from 1 as the elements' corners do.
  HALOCLINE_HD bool has_cube(const Index (&corner)[3]) const {
    for (int axis = 0; axis < 3; ++axis)
      if (corner[axis] < 0 || corner[axis] >= elements[axis]) return false;
    return true;
  }
};

struct ElasticEntries {
  ElasticLayout layout;
  HALOCLINE_HD Index operator()(Index row) const { return layout.entries_before(row); }
};

struct ElasticRowsBody {
  ElasticLayout layout;
  Index first;
  const double* cube;  // [a][c][b][d]
  View<const Index, 1> ptr;
  View<Index, 1> col;
  View<double, 1> val;

  HALOCLINE_HD void operator()(Index n) const {
    const Index row = first + n;
    const int c = static_cast<int>(row % 3);
    const BoxLayout nodes = layout.nodes();
    Index at[3];
    nodes.place(row / 3, at);
    double values[27][3] = {};
    for (int a = 7; a >= 0; --a) {  // corner of the cube that the node is; cubes ascend
      const Index corner[3] = {at[0] + 1 - (a & 1), at[1] - (a >> 1 & 1), at[2] - (a >> 2)};
      if (!layout.has_cube(corner)) continue;
      for (int b = 0; b < 8; ++b) {
        const int place = 13 + (b & 1) - (a & 1) + 3 * ((b >> 1 & 1) - (a >> 1 & 1)) + 9 * ((b >> 2) - (a >> 2));
        for (int d = 0; d < 3; ++d) values[place][d] += cube[((a * 3 + c) * 8 + b) * 3 + d];
      }
    }
    Index to = ptr(n);
    for (int place = 0; place < 27; ++place) {
      const Index i = at[0] + place % 3 - 1, j = at[1] + place / 3 % 3 - 1, k = at[2] + place / 9 - 1;
      if (i < 0 || j < 0 || k < 0 || i >= nodes.n[0] || j >= nodes.n[1] || k >= nodes.n[2]) continue;
      for (int d = 0; d < 3; ++d, ++to) {
        col(to) = 3 * (i + nodes.n[0] * (j + nodes.n[1] * k)) + d;
        val(to) = values[place][d];
      }
    }
  }
};

// A body force of 1 along -z, an eighth of every cube to each of its corners.
struct ElasticRhsBody {
  ElasticLayout layout;
  Index first;
  View<double, 1> rhs;
  HALOCLINE_HD void operator()(Index n) const {
    const Index row = first + n;
    rhs(n) = 0;
    if (row % 3 != 2) return;
    Index at[3];
    layout.nodes().place(row / 3, at);
    int cubes = 0;
    for (int a = 0; a < 8; ++a) {
      const Index corner[3] = {at[0] + 1 - (a & 1), at[1] - (a >> 1 & 1), at[2] - (a >> 2)};
      cubes += layout.has_cube(corner) ? 1 : 0;
    }
    rhs(n) = -cubes / 8.0;
  }
};

// Mode 0 to 2: translations; 3 to 5: rotations about an axis through the center.
struct RigidBodyBody {
  ElasticLayout layout;
  Index first;
  int mode;
  View<double, 1> values;
  HALOCLINE_HD void operator()(Index n) const {
    const int c = static_cast<int>((first + n) % 3);
    if (mode < 3) {
      values(n) = c == mode ? 1 : 0;
      return;
    }
    const int axis = mode - 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
    Index at[3];
    layout.nodes().place((first + n) / 3, at);
    at[0] += 1;
    const auto from_center = [&](int along) {
      return static_cast<double>(at[along]) - static_cast<double>(layout.elements[along]) / 2;
    };
    values(n) = c == next ? -from_center(last) : c == last ? from_center(next) : 0;
  }
};

}  // namespace halocline::sparse
