// Cubes cut into six tetrahedra at random and without messages, such that neighbors agree on their common face.
//
// Every vertex has a key. In a cube, v0 is the vertex of the smallest key; each of the three faces that do not touch v0
// is cut by the diagonal through its own vertex of the smallest key, and the six triangles are joined to v0. The faces
// that touch v0 are thereby cut through v0, which has the smallest key there too. Vertices of a cube are numbered
// x + 2 y + 4 z.
#pragma once

#include <cstdint>

#include "lib/base/types.hpp"

namespace halocline::sparse {

// How a cube is cut, and which of its tetrahedra there are.
struct CubeCode {
  std::uint16_t bits = 0;  // v0 in bits 0 to 2, diagonals in 3 to 5, tetrahedra in 6 to 11

  HALOCLINE_HD int first() const { return bits & 7; }
  // Of the face across `axis`: whether the diagonal joins its corners (1, 0) and (0, 1), not (0, 0) and (1, 1).
  HALOCLINE_HD bool falling(int axis) const { return (bits >> (3 + axis) & 1) != 0; }
  HALOCLINE_HD bool has(int tetrahedron) const { return (bits >> (6 + tetrahedron) & 1) != 0; }
  HALOCLINE_HD void take(int tetrahedron) { bits = static_cast<std::uint16_t>(bits | 1 << (6 + tetrahedron)); }
};

// The face across `axis` without vertex v0: its corner (u, v), u along the lower of the other axes.
HALOCLINE_HD inline int face_corner(int v0, int axis, int u, int v) {
  const int low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2;
  return ((v0 >> axis & 1) == 0 ? 1 << axis : 0) | u << low | v << high;
}

// Without tetrahedra.
HALOCLINE_HD inline CubeCode cut_cube(const std::uint64_t (&keys)[8]) {
  int v0 = 0;
  for (int v = 1; v < 8; ++v)
    if (keys[v] < keys[v0]) v0 = v;
  int bits = v0;
  for (int axis = 0; axis < 3; ++axis) {
    int least = 0;  // u + 2 v
    for (int corner = 1; corner < 4; ++corner)
      if (keys[face_corner(v0, axis, corner & 1, corner >> 1)] < keys[face_corner(v0, axis, least & 1, least >> 1)])
        least = corner;
    if (least == 1 || least == 2) bits |= 1 << (3 + axis);
  }
  return {static_cast<std::uint16_t>(bits)};
}

// Vertices of a tetrahedron, 0 to 5, in an order of positive volume.
HALOCLINE_HD inline void tetrahedron_of(const CubeCode& code, int number, int (&v)[4]) {
  const int axis = number / 2, half = number % 2, v0 = code.first();
  const bool falling = code.falling(axis);
  v[0] = v0;
  v[1] = face_corner(v0, axis, falling ? 1 : 0, 0);  // ends of the diagonal
  v[2] = face_corner(v0, axis, falling ? 0 : 1, 1);
  v[3] = face_corner(v0, axis, half, falling ? half : 1 - half);  // and the third corner
  int e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int c = 0; c < 3; ++c) e[i][c] = (v[i + 1] >> c & 1) - (v[0] >> c & 1);
  const int det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                  e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) + e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  if (det > 0) return;
  const int other = v[2];
  v[2] = v[3];
  v[3] = other;
}

}  // namespace halocline::sparse
