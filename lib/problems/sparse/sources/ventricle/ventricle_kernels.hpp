// Bodies for gpu/launch.hpp: a mesh of tetrahedra in the wall of a ventricle, and the rows of its P1 matrix.
//
// The wall lies between the ellipsoids of semi-axes (3, 3, 6) and (2, 2, 5), cut off above z = 2; lengths in cm. Nodes
// are those of a lattice, moved a little at random. Everything is a pure function of the number of a lattice node.
// Compiled without fused multiply-add, so that hosts and GPUs find the same tetrahedra.
#pragma once

#include <cmath>

#include "lib/base/hash.hpp"
#include "lib/base/view.hpp"
#include "lib/problems/sparse/sources/ventricle/tetrahedra_kernels.hpp"

namespace halocline::sparse {

struct Point {
  double x[3];
};

// Semi-axes of the ellipsoid at depth t in the wall, 0 inside and 1 outside.
struct Shell {
  HALOCLINE_HD static double radius(const Point& p, double across, double along) {
    const double x = p.x[0] / across, y = p.x[1] / across, z = p.x[2] / along;
    return ::sqrt(x * x + y * y + z * z);
  }
  HALOCLINE_HD static double inner(const Point& p) { return radius(p, 2, 5); }
  HALOCLINE_HD static double outer(const Point& p) { return radius(p, 3, 6); }
  HALOCLINE_HD static bool contains(const Point& p) { return p.x[2] <= 2 && outer(p) <= 1 && inner(p) >= 1; }
};

struct VentricleLattice {
  double h = 1;
  Index n[3] = {0, 0, 0};
  double origin[3] = {0, 0, 0};
  std::uint64_t seed = 1;

  HALOCLINE_HD Index nodes() const { return n[0] * n[1] * n[2]; }
  HALOCLINE_HD Index lines() const { return n[1] * n[2]; }
  HALOCLINE_HD Index node(Index i, Index j, Index k) const { return i + n[0] * (j + n[1] * k); }
  HALOCLINE_HD Index offset(int dx, int dy, int dz) const { return dx + n[0] * (dy + n[1] * dz); }
  HALOCLINE_HD Point place(Index i, Index j, Index k) const {
    return {{origin[0] + static_cast<double>(i) * h, origin[1] + static_cast<double>(j) * h,
             origin[2] + static_cast<double>(k) * h}};
  }
  HALOCLINE_HD Point moved(Index i, Index j, Index k) const {
    Point p = place(i, j, k);
    const auto number = 3 * static_cast<std::uint64_t>(node(i, j, k)) + 1000003 * seed;
    for (int c = 0; c < 3; ++c) p.x[c] += 0.15 * h * (2 * u01(number + static_cast<std::uint64_t>(c)) - 1);
    return p;
  }
  HALOCLINE_HD std::uint64_t key(Index node) const {
    return mix64(static_cast<std::uint64_t>(node) * 2654435761u + seed);
  }
  HALOCLINE_HD bool has_cube(Index i, Index j, Index k) const {
    return i >= 0 && j >= 0 && k >= 0 && i < n[0] - 1 && j < n[1] - 1 && k < n[2] - 1;
  }

  // How the cube whose lowest node is (i, j, k) is cut, with the tetrahedra whose centroid lies in the wall.
  HALOCLINE_HD CubeCode cube(Index i, Index j, Index k) const {
    if (!has_cube(i, j, k) || where(i, j, k) < 0) return {};
    std::uint64_t keys[8];
    for (int v = 0; v < 8; ++v) keys[v] = key(node(i + (v & 1), j + (v >> 1 & 1), k + (v >> 2)));
    CubeCode code = cut_cube(keys);
    for (int number = 0; number < 6; ++number) {
      int v[4];
      tetrahedron_of(code, number, v);
      Point center{};
      for (const int corner : v) {
        const Point p = place(i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
        for (int c = 0; c < 3; ++c) center.x[c] += p.x[c];
      }
      for (double& x : center.x) x /= 4;
      if (Shell::contains(center)) code.take(number);
    }
    return code;
  }

  // Vertices of a cube, as bits, that belong to one of its tetrahedra.
  HALOCLINE_HD int corners(Index i, Index j, Index k) const {
    if (!has_cube(i, j, k)) return 0;
    const int side = where(i, j, k);
    return side == 0 ? corners_of(cube(i, j, k)) : side > 0 ? 255 : 0;
  }
  HALOCLINE_HD static int corners_of(const CubeCode& code) {
    int bits = 0;
    for (int number = 0; number < 6; ++number) {
      if (!code.has(number)) continue;
      int v[4];
      tetrahedron_of(code, number, v);
      for (const int corner : v) bits |= 1 << corner;
    }
    return bits;
  }

 private:
  // A cube: -1 outside of the wall, 1 inside with all that is in it, 0 not known. No point of it is farther from its
  // center than half a diagonal.
  HALOCLINE_HD int where(Index i, Index j, Index k) const {
    Point center = place(i, j, k);
    for (double& x : center.x) x += h / 2;
    const double far = 0.8661 * h, outer = Shell::outer(center), inner = Shell::inner(center);
    if (outer - far / 3 > 1 || inner + far / 2 < 1 || center.x[2] - far > 2) return -1;
    return outer + far / 3 < 1 && inner - far / 2 > 1 && center.x[2] + far < 2 ? 1 : 0;
  }
};

// Nodes of a line of the lattice; a node belongs to the mesh when it does to a tetrahedron.
struct CountNodesBody {
  VentricleLattice lattice;
  View<Index, 1> counts;  // by line
  HALOCLINE_HD void operator()(Index line) const {
    const Index j = line % lattice.n[1], k = line / lattice.n[1];
    int before = 0, count = 0;  // bits of the nodes on the low side: of the cubes before, of those behind
    for (Index i = 0; i < lattice.n[0]; ++i) {
      int here = before;
      before = 0;
      for (int dy = 0; dy < 2; ++dy)
        for (int dz = 0; dz < 2; ++dz) {
          const int corners = lattice.corners(i, j - dy, k - dz) >> (2 * dy + 4 * dz);
          here |= corners & 1;
          before |= corners >> 1 & 1;
        }
      count += here;
    }
    counts(line) = count;
  }
};

}  // namespace halocline::sparse
