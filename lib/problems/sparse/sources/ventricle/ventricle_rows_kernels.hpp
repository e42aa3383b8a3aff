// Bodies for gpu/launch.hpp: numbers, places and voltages of the nodes of a ventricle, and rows of its matrix.
//
// P1 elements: K_ab = g_a . Sigma g_b V, g gradients of the hat functions, Sigma = across I + (along - across) f f^T
// with the fiber direction f at the centroid. Contributions are added in the order of the cubes around a node, which is
// the same for both ends of an edge, so K is symmetric to the bit.
#pragma once

#include "lib/problems/sparse/sources/ventricle/ventricle_kernels.hpp"

namespace halocline::sparse {

struct Sigma {
  double along = 1, across = 1;
};

HALOCLINE_HD inline double inner_product(const Point& a, const Point& b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
HALOCLINE_HD inline Point cross_product(const Point& a, const Point& b) {
  return {{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
HALOCLINE_HD inline Point difference(const Point& a, const Point& b) {
  return {{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

// Direction of the fibers at depth t of the wall: 60 degrees (inside) to -60 (outside) from the circumferential to the
// longitudinal direction, both at right angles to the normal of the outer ellipsoid's kind.
HALOCLINE_HD inline double fiber_angle(const Point& p) {
  const double inside = Shell::inner(p) - 1, outside = 1 - Shell::outer(p), t = inside / (inside + outside);
  return (60 - 120 * t) * (3.14159265358979323846 / 180);
}
HALOCLINE_HD inline Point fiber(const Point& p) {
  const double rho = ::sqrt(p.x[0] * p.x[0] + p.x[1] * p.x[1]);
  const Point around = rho > 0 ? Point{{-p.x[1] / rho, p.x[0] / rho, 0}} : Point{{0, 1, 0}};
  Point normal{{p.x[0] / 9, p.x[1] / 9, p.x[2] / 36}};
  const double size = ::sqrt(inner_product(normal, normal));
  for (double& x : normal.x) x /= size;
  const Point up = cross_product(normal, around);
  const double angle = fiber_angle(p), c = ::cos(angle), s = ::sin(angle);
  return {{c * around.x[0] + s * up.x[0], c * around.x[1] + s * up.x[1], c * around.x[2] + s * up.x[2]}};
}

// Six times the volume of a tetrahedron, positive, and six times the volume times the gradients of its hat functions.
struct Element {
  double volume6;
  Point gradient[4];

  HALOCLINE_HD explicit Element(const Point (&p)[4]) {
    const Point a = difference(p[1], p[0]), b = difference(p[2], p[0]), c = difference(p[3], p[0]);
    gradient[1] = cross_product(b, c);
    gradient[2] = cross_product(c, a);
    gradient[3] = cross_product(a, b);
    for (int d = 0; d < 3; ++d) gradient[0].x[d] = -(gradient[1].x[d] + gradient[2].x[d] + gradient[3].x[d]);
    volume6 = inner_product(a, gradient[1]);
  }
  HALOCLINE_HD double stiffness(int i, int j, const Sigma& sigma, const Point& f) const {
    const double fibers = inner_product(f, gradient[i]) * inner_product(f, gradient[j]);
    return (sigma.across * inner_product(gradient[i], gradient[j]) + (sigma.along - sigma.across) * fibers) /
           (6 * volume6);
  }
  HALOCLINE_HD double mass(int i, int j) const { return volume6 * (i == j ? 2 : 1) / 120; }
};

// What rows are made from. Arrays begin with lattice node `first_cube` or `first_node`.
struct VentricleMesh {
  VentricleLattice lattice;
  Sigma sigma;
  double mass = 0;
  bool ground = true;
  Index first_cube = 0, first_node = 0;
  View<const CubeCode, 1> cubes;
  View<const Index, 1> numbers;  // rows of nodes, -1 for nodes that do not belong to the mesh
  View<const Point, 1> points;
  View<const double, 1> voltages;
  View<const Index, 1> nodes;  // of the part's rows

  HALOCLINE_HD Index number(Index node) const { return numbers(node - first_node); }
  HALOCLINE_HD const Point& point(Index node) const { return points(node - first_node); }
  // Close to the apex (0, 0, -6), where u = 0.
  HALOCLINE_HD bool grounded(Index node) const {
    const Point& p = point(node);
    const double z = p.x[2] + 6;
    return ground && p.x[0] * p.x[0] + p.x[1] * p.x[1] + z * z <= 0.3 * 0.3;
  }
  HALOCLINE_HD static Point centroid(const Point (&p)[4]) {
    Point center{};
    for (int c = 0; c < 3; ++c) center.x[c] = (p[0].x[c] + p[1].x[c] + p[2].x[c] + p[3].x[c]) / 4;
    return center;
  }
};

// A place among the 27 lattice nodes around a node, itself in the middle.
constexpr int middle_of_star = 13;
HALOCLINE_HD inline int star_place(int from, int to) {
  int place = middle_of_star;
  for (int c = 0, step = 1; c < 3; ++c, step *= 3) place += step * ((to >> c & 1) - (from >> c & 1));
  return place;
}
HALOCLINE_HD inline Index star_offset(const VentricleLattice& lattice, int place) {
  return lattice.offset(place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1);
}

// visit(cube, code, v, me) for all tetrahedra around a node: the lowest node of the cube, its vertices v[4], of which
// number `me` is the node. Cubes ascend.
template <class Visit>
HALOCLINE_HD void around_node(const VentricleMesh& mesh, Index node, Visit& visit) {
  for (int corner = 7; corner >= 0; --corner) {
    const Index cube = node - mesh.lattice.offset(corner & 1, corner >> 1 & 1, corner >> 2);
    if (cube < mesh.first_cube) continue;
    const CubeCode code = mesh.cubes(cube - mesh.first_cube);
    for (int number = 0; number < 6; ++number) {
      if (!code.has(number)) continue;
      int v[4];
      tetrahedron_of(code, number, v);
      for (int me = 0; me < 4; ++me)
        if (v[me] == corner) visit(cube, v, me);
    }
  }
}

struct MarkStar {
  std::uint32_t bits = 0;
  HALOCLINE_HD void operator()(Index, const int (&v)[4], int me) {
    for (const int other : v) bits |= 1u << star_place(v[me], other);
  }
};

HALOCLINE_HD inline void gather_points(const VentricleMesh& mesh, Index cube, const int (&v)[4], Point (&p)[4]) {
  for (int a = 0; a < 4; ++a) p[a] = mesh.point(cube + mesh.lattice.offset(v[a] & 1, v[a] >> 1 & 1, v[a] >> 2));
}

struct AddToRow {
  const VentricleMesh& mesh;
  double values[27] = {};
  HALOCLINE_HD void operator()(Index cube, const int (&v)[4], int me) {
    Point p[4];
    gather_points(mesh, cube, v, p);
    const Element element(p);
    const Point f = fiber(VentricleMesh::centroid(p));
    for (int a = 0; a < 4; ++a)
      values[star_place(v[me], v[a])] +=
          element.stiffness(me, a, mesh.sigma, f) + (mesh.mass > 0 ? mesh.mass * element.mass(me, a) : 0);
  }
};

// -K Vm of a row, K with the conductivities of the monodomain equations.
struct AddToRhs {
  const VentricleMesh& mesh;
  double value = 0;
  HALOCLINE_HD void operator()(Index cube, const int (&v)[4], int me) {
    Point p[4];
    gather_points(mesh, cube, v, p);
    const Element element(p);
    const Point f = fiber(VentricleMesh::centroid(p));
    for (int a = 0; a < 4; ++a) {
      const Index node = cube + mesh.lattice.offset(v[a] & 1, v[a] >> 1 & 1, v[a] >> 2);
      value -= element.stiffness(me, a, {0.174, 0.019}, f) * mesh.voltages(node - mesh.first_node);
    }
  }
};

struct CubesBody {
  VentricleLattice lattice;
  Index first;
  View<CubeCode, 1> cubes;
  HALOCLINE_HD void operator()(Index n) const {
    const Index node = first + n, line = node / lattice.n[0];
    cubes(n) = lattice.cube(node - line * lattice.n[0], line % lattice.n[1], line / lattice.n[1]);
  }
};

// Rows along the lattice: of every line from `first_line` on, whose first row is starts(line - first_line).
struct NumbersBody {
  VentricleLattice lattice;
  Index first_cube, first_line;
  View<const CubeCode, 1> cubes;
  View<const Index, 1> starts;
  View<Index, 1> numbers;
  HALOCLINE_HD void operator()(Index n) const {
    const Index first = (first_line + n) * lattice.n[0];
    Index number = starts(n);
    for (Index i = 0; i < lattice.n[0]; ++i) numbers(n * lattice.n[0] + i) = belongs(first + i) ? number++ : -1;
  }

 private:
  HALOCLINE_HD bool belongs(Index node) const {
    for (int corner = 0; corner < 8; ++corner) {
      const Index cube = node - lattice.offset(corner & 1, corner >> 1 & 1, corner >> 2) - first_cube;
      if (cube >= 0 && (VentricleLattice::corners_of(cubes(cube)) >> corner & 1) != 0) return true;
    }
    return false;
  }
};

// Lattice nodes of rows `own`, from numbers that begin with node `first_node`.
struct OwnNodesBody {
  Index first_node, low, high;
  View<const Index, 1> numbers;
  View<Index, 1> nodes;
  HALOCLINE_HD void operator()(Index n) const {
    const Index row = numbers(n);
    if (row >= low && row < high) nodes(row - low) = first_node + n;
  }
};

// Places, and the voltage behind a front that moves away from (2.5, 0, -1), t ahead.
struct PointsBody {
  VentricleLattice lattice;
  Index first_node;
  double t;
  View<Point, 1> points;
  View<double, 1> voltages;
  HALOCLINE_HD void operator()(Index n) const {
    const Index node = first_node + n, line = node / lattice.n[0];
    const Point p = lattice.moved(node - line * lattice.n[0], line % lattice.n[1], line / lattice.n[1]);
    points(n) = p;
    const Point away = difference(p, {{2.5, 0, -1}});
    voltages(n) = -85 + 50 * (1 - ::tanh((::sqrt(inner_product(away, away)) - 2 - t) / 0.1));
  }
};

struct CountEntriesBody {
  VentricleMesh mesh;
  View<Index, 1> counts;
  HALOCLINE_HD void operator()(Index n) const {
    const Index node = mesh.nodes(n);
    MarkStar star;
    around_node(mesh, node, star);
    Index count = 0;
    for (int place = 0; place < 27; ++place)
      if ((star.bits >> place & 1) != 0 && is_entry(mesh, node, place)) ++count;
    counts(n) = count;
  }
  // Rows of grounded nodes keep their diagonal, other rows have no column of theirs.
  HALOCLINE_HD static bool is_entry(const VentricleMesh& mesh, Index node, int place) {
    if (place == middle_of_star) return true;
    return !mesh.grounded(node) && !mesh.grounded(node + star_offset(mesh.lattice, place));
  }
};

struct VentricleRowsBody {
  VentricleMesh mesh;
  View<const Index, 1> ptr;
  View<Index, 1> col;
  View<double, 1> val;
  HALOCLINE_HD void operator()(Index n) const {
    const Index node = mesh.nodes(n), first = ptr(n);
    MarkStar star;
    around_node(mesh, node, star);
    AddToRow row{mesh};
    around_node(mesh, node, row);
    Index end = first;
    for (int place = 0; place < 27; ++place)
      if ((star.bits >> place & 1) != 0 && CountEntriesBody::is_entry(mesh, node, place))
        insert(first, end, mesh.number(node + star_offset(mesh.lattice, place)), row.values[place]);
  }

 private:
  // Into the columns so far, which ascend.
  HALOCLINE_HD void insert(Index first, Index& end, Index column, double value) const {
    Index at = end++;
    for (; at > first && col(at - 1) > column; --at) {
      col(at) = col(at - 1);
      val(at) = val(at - 1);
    }
    col(at) = column;
    val(at) = value;
  }
};

struct VentricleRhsBody {
  VentricleMesh mesh;
  View<double, 1> rhs;
  HALOCLINE_HD void operator()(Index n) const {
    AddToRhs row{mesh};
    if (!mesh.grounded(mesh.nodes(n))) around_node(mesh, mesh.nodes(n), row);
    rhs(n) = row.value;
  }
};

}  // namespace halocline::sparse
