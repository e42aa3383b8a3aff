// Bodies for gpu/launch.hpp: tetrahedra of lines of cubes, and what is known on them.
#pragma once

#include "lib/problems/sparse/sources/ventricle/ventricle_rows_kernels.hpp"

namespace halocline::sparse {

struct NodePointsBody {
  VentricleMesh mesh;
  View<double, 1> points;
  HALOCLINE_HD void operator()(Index n) const {
    for (int axis = 0; axis < 3; ++axis) points(3 * n + axis) = mesh.point(mesh.nodes(n)).x[axis];
  }
};

// Tetrahedra of every line from `first_line` on.
struct CountCellsBody {
  VentricleLattice lattice;
  Index first_line;
  View<Index, 1> counts;
  HALOCLINE_HD void operator()(Index n) const {
    const Index line = first_line + n;
    Index count = 0;
    for (Index i = 0; i < lattice.n[0]; ++i) {
      const CubeCode code = lattice.cube(i, line % lattice.n[1], line / lattice.n[1]);
      for (int number = 0; number < 6; ++number) count += code.has(number) ? 1 : 0;
    }
    counts(n) = count;
  }
};

// visit(cell, cube, v) for the tetrahedra of a line: their number, counted from that of the line's first, the lowest
// node of their cube, and their vertices.
template <class Visit>
HALOCLINE_HD void along_line(const VentricleMesh& mesh, Index line, Index first_cell, const Visit& visit) {
  Index cell = first_cell;
  for (Index i = 0; i < mesh.lattice.n[0]; ++i) {
    const Index cube = line * mesh.lattice.n[0] + i;
    const CubeCode code = mesh.cubes(cube - mesh.first_cube);
    for (int number = 0; number < 6; ++number) {
      if (!code.has(number)) continue;
      int v[4];
      tetrahedron_of(code, number, v);
      visit(cell++, cube, v);
    }
  }
}

// visit(cell, centroid) for the same.
template <class Visit>
HALOCLINE_HD void centroids_along_line(const VentricleMesh& mesh, Index line, Index first_cell, const Visit& visit) {
  along_line(mesh, line, first_cell, [&](Index cell, Index cube, const int(&v)[4]) {
    Point p[4];
    gather_points(mesh, cube, v, p);
    visit(cell, VentricleMesh::centroid(p));
  });
}

struct LineCornersBody {
  VentricleMesh mesh;
  Index first_line;
  View<const Index, 1> starts;
  View<Index, 1> corners;
  HALOCLINE_HD void operator()(Index n) const {
    along_line(mesh, first_line + n, starts(n), [&](Index cell, Index cube, const int(&v)[4]) {
      for (int a = 0; a < 4; ++a)
        corners(4 * cell + a) = mesh.number(cube + mesh.lattice.offset(v[a] & 1, v[a] >> 1 & 1, v[a] >> 2));
    });
  }
};

// In degrees, at the centroid.
struct LineAnglesBody {
  VentricleMesh mesh;
  Index first_line;
  View<const Index, 1> starts;
  View<double, 1> angles;
  HALOCLINE_HD void operator()(Index n) const {
    centroids_along_line(mesh, first_line + n, starts(n), [&](Index cell, const Point& centroid) {
      angles(cell) = fiber_angle(centroid) * (180 / 3.14159265358979323846);
    });
  }
};

// xx, yy, zz, xy, yz, xz of across I + (along - across) f f^T.
struct LineSigmasBody {
  VentricleMesh mesh;
  Index first_line;
  View<const Index, 1> starts;
  View<double, 1> sigmas;
  HALOCLINE_HD void operator()(Index n) const {
    centroids_along_line(mesh, first_line + n, starts(n), [&](Index cell, const Point& centroid) {
      const Point f = fiber(centroid);
      const double more = mesh.sigma.along - mesh.sigma.across;
      for (int place = 0; place < 6; ++place) {
        const int row = place % 3, column = (place < 3 ? place : place + 1) % 3;
        sigmas(6 * cell + place) = (place < 3 ? mesh.sigma.across : 0) + more * f.x[row] * f.x[column];
      }
    });
  }
};

}  // namespace halocline::sparse
