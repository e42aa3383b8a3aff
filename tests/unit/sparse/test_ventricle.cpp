// The ventricle: its numbers of nodes and entries, its mesh, and its matrix, on every executor and cut anywhere.
#include <cmath>
#include <map>
#include <set>

#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"
#include "tests/unit/sparse/sources.hpp"

namespace halocline::sparse {
namespace {

VentricleOptions options_of(double h, const char* conductivity = "bidomain", bool ground = true) {
  VentricleOptions options;
  options.h = h;
  options.conductivity = {conductivity};
  options.ground = ground;
  return options;
}

VentricleSource source_of(const VentricleOptions& options) {
  ThrownFaults faults;
  return VentricleSource(*make_ventricle_model(options, faults));
}

// All tetrahedra, as lattice nodes and places of their vertices.
struct Tetrahedron {
  Index nodes[4];
  Point p[4];
};
std::vector<Tetrahedron> mesh_of(const VentricleLattice& l) {
  std::vector<Tetrahedron> mesh;
  for (Index k = 0; k < l.n[2]; ++k)
    for (Index j = 0; j < l.n[1]; ++j)
      for (Index i = 0; i < l.n[0]; ++i) {
        const CubeCode code = l.cube(i, j, k);
        for (int number = 0; number < 6; ++number) {
          if (!code.has(number)) continue;
          int v[4];
          tetrahedron_of(code, number, v);
          Tetrahedron& made = mesh.emplace_back();
          for (int a = 0; a < 4; ++a) {
            const Index at[3] = {i + (v[a] & 1), j + (v[a] >> 1 & 1), k + (v[a] >> 2)};
            made.nodes[a] = l.node(at[0], at[1], at[2]);
            made.p[a] = l.moved(at[0], at[1], at[2]);
          }
        }
      }
  return mesh;
}

TEST(Ventricle, NumbersOfNodes) {
  for (const auto& [h, rows] :
       {std::pair{0.15, 37022}, std::pair{0.10, 117013}, std::pair{0.07, 328672}, std::pair{0.0503, 859448}})
    EXPECT_EQ(source_of(options_of(h)).rows(), rows) << h;
}

TEST(Ventricle, NumbersOfEntriesAndSums) {
  for (const auto& [ground, entries] : {std::pair{true, 1633239}, std::pair{false, 1634333}}) {
    const HostMatrix matrix = whole(source_of(options_of(0.10, "bidomain", ground)));
    EXPECT_EQ(matrix.entries(), entries);
    double sum = 0, size = 0;
    for (const double f : matrix.rhs) sum += f, size += std::abs(f);
    EXPECT_LT(std::abs(sum), 1e-14 * size);
    Index positive = 0, largest = 0;
    for (Index i = 0; i < matrix.rows(); ++i) {
      double row = 0, all = 0;
      for (Index e = matrix.ptr[static_cast<std::size_t>(i)]; e < matrix.ptr[static_cast<std::size_t>(i) + 1]; ++e) {
        const double value = matrix.val[static_cast<std::size_t>(e)];
        row += value, all += std::abs(value);
        if (value > 0 && matrix.col[static_cast<std::size_t>(e)] != i) ++positive;
      }
      if (!ground) {
        EXPECT_LT(std::abs(row), 1e-13 * all) << i;
      }
      largest =
          std::max(largest, matrix.ptr[static_cast<std::size_t>(i) + 1] - matrix.ptr[static_cast<std::size_t>(i)]);
    }
    EXPECT_NEAR(static_cast<double>(positive) / static_cast<double>(entries - matrix.rows()), 0.297, 0.001);
    EXPECT_EQ(largest, 27);
  }
}

TEST(Ventricle, TetrahedraFillTheWallAndMeetFaceToFace) {
  const double h = 0.15;
  const VentricleSource source = source_of(options_of(h));
  const std::vector<Tetrahedron> mesh = mesh_of(source.model().lattice);
  double volume = 0, smallest = 1;
  std::map<std::array<Index, 3>, int> faces;
  std::set<Index> nodes;
  for (const Tetrahedron& t : mesh) {
    const double own = Element(t.p).volume6 / 6;
    volume += own;
    smallest = std::min(smallest, own / (h * h * h));
    for (int out = 0; out < 4; ++out) {
      std::array<Index, 3> face{};
      for (int a = 0, n = 0; a < 4; ++a)
        if (a != out) face[static_cast<std::size_t>(n++)] = t.nodes[a];
      std::sort(face.begin(), face.end());
      ++faces[face];
      nodes.insert(t.nodes[out]);
    }
  }
  EXPECT_EQ(static_cast<Index>(nodes.size()), source.rows());
  EXPECT_GT(smallest, 0.013);
  // Solids of revolution below z = 2: pi R^2 (z - z^3 / (3 c^2)) from -c to 2.
  const auto solid = [](double r, double c) { return M_PI * r * r * ((2 - 8 / (3 * c * c)) + (c - c / 3)); };
  EXPECT_NEAR(volume, solid(3, 6) - solid(2, 5), 0.01 * volume);
  for (const auto& [face, count] : faces) EXPECT_LE(count, 2);
  // Every edge of the surface lies between two of its faces, or four where it touches itself.
  std::map<std::pair<Index, Index>, int> edges;
  for (const auto& [face, count] : faces)
    for (std::size_t a = 0; count == 1 && a < 3; ++a) ++edges[std::minmax(face[a], face[(a + 1) % 3])];
  EXPECT_FALSE(edges.empty());
  for (const auto& [edge, count] : edges) EXPECT_EQ(count % 2, 0);
}

TEST(Ventricle, OneComponent) {
  const HostMatrix matrix = whole(source_of(options_of(0.15, "iso", false)));
  std::vector<bool> seen(static_cast<std::size_t>(matrix.rows()), false);
  std::vector<Index> ahead{0};
  Index count = 0;
  for (seen[0] = true; !ahead.empty(); ++count) {
    const auto row = static_cast<std::size_t>(ahead.back());
    ahead.pop_back();
    for (Index e = matrix.ptr[row]; e < matrix.ptr[row + 1]; ++e) {
      const Index column = matrix.col[static_cast<std::size_t>(e)];
      if (seen[static_cast<std::size_t>(column)]) continue;
      seen[static_cast<std::size_t>(column)] = true;
      ahead.push_back(column);
    }
  }
  EXPECT_EQ(count, matrix.rows());
}

// Energies of u = x and u = 1 are integrals, which the tetrahedra give exactly.
TEST(Ventricle, Energies) {
  const VentricleSource iso = source_of(options_of(0.3, "iso", false));
  VentricleOptions heavy = options_of(0.3, "iso", false);
  heavy.mass = 10;
  const HostMatrix K = whole(iso), with_mass = whole(source_of(heavy));
  double volume = 0;
  for (const Tetrahedron& t : mesh_of(iso.model().lattice)) volume += Element(t.p).volume6 / 6;
  std::vector<double> x, one(static_cast<std::size_t>(K.rows()), 1.0);
  const VentricleLattice& l = iso.model().lattice;
  for (Index line = 0; line < l.lines(); ++line) {
    Index left = iso.starts()[static_cast<std::size_t>(line) + 1] - iso.starts()[static_cast<std::size_t>(line)];
    if (left == 0) continue;
    for (Index i = 0; i < l.n[0]; ++i) {
      bool belongs = false;
      for (int c = 0; c < 8; ++c)
        belongs |= (l.corners(i - (c & 1), line % l.n[1] - (c >> 1 & 1), line / l.n[1] - (c >> 2)) >> c & 1) != 0;
      if (belongs) x.push_back(l.moved(i, line % l.n[1], line / l.n[1]).x[0]), --left;
    }
    EXPECT_EQ(left, 0);
  }
  const auto energy = [](const HostMatrix& A, const std::vector<double>& u) {
    const std::vector<double> Au = A.times(u);
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * Au[i];
    return sum;
  };
  EXPECT_NEAR(energy(K, x), volume, 1e-12 * volume);
  EXPECT_NEAR(energy(with_mass, one), 10 * volume, 1e-10 * volume);
}

TEST(Ventricle, SymmetricAndGrounded) {
  const HostMatrix grounded = whole(source_of(options_of(0.15, "mono", true)));
  const HostMatrix free = whole(source_of(options_of(0.15, "mono", false)));
  Index alone = 0;
  for (Index i = 0; i < grounded.rows(); ++i) {
    EXPECT_EQ(grounded.at(i, i), free.at(i, i));
    const Index first = grounded.ptr[static_cast<std::size_t>(i)], end = grounded.ptr[static_cast<std::size_t>(i) + 1];
    if (end - first == 1) {
      ++alone;
      EXPECT_EQ(grounded.rhs[static_cast<std::size_t>(i)], 0);
    }
    for (Index e = first; e < end; ++e)
      EXPECT_EQ(grounded.val[static_cast<std::size_t>(e)], grounded.at(grounded.col[static_cast<std::size_t>(e)], i));
  }
  EXPECT_GT(alone, 5);
}

TEST(Ventricle, NumberingsPermuteRowsAndColumns) {
  const VentricleSource lattice = source_of(options_of(0.3));
  const HostMatrix reference = whole(lattice);
  for (const Numbering numbering : {Numbering::morton, Numbering::random}) {
    VentricleOptions options = options_of(0.3);
    options.numbering = numbering;
    const VentricleSource source = source_of(options);
    const HostMatrix matrix = whole(source);
    std::vector<Index> row_of;  // of rows along the lattice
    for (const Index number : source.numbers())
      if (number >= 0) row_of.push_back(number);
    EXPECT_EQ(std::set<Index>(row_of.begin(), row_of.end()).size(), static_cast<std::size_t>(reference.rows()));
    EXPECT_EQ(matrix.entries(), reference.entries());
    Index moved = 0;
    for (Index i = 0; i < reference.rows(); ++i) {
      const Index row = row_of[static_cast<std::size_t>(i)];
      moved += row == i ? 0 : 1;
      EXPECT_EQ(matrix.rhs[static_cast<std::size_t>(row)], reference.rhs[static_cast<std::size_t>(i)]);
      for (Index e = reference.ptr[static_cast<std::size_t>(i)]; e < reference.ptr[static_cast<std::size_t>(i) + 1];
           ++e)
        EXPECT_EQ(matrix.at(row, row_of[static_cast<std::size_t>(reference.col[static_cast<std::size_t>(e)])]),
                  reference.val[static_cast<std::size_t>(e)]);
    }
    EXPECT_GT(moved, reference.rows() / 2);
  }
}

TEST(Ventricle, TheFrontMovesWithTime) {
  const VentricleSource source = source_of(options_of(0.3));
  const ExecutorPtr host = make_omp_executor(1);
  const HostMatrix early = whole(source, host, {0, source.rows()}, 0),
                   late = whole(source, host, {0, source.rows()}, 1);
  EXPECT_EQ(bits(early.val), bits(late.val));
  EXPECT_NE(bits(early.rhs), bits(late.rhs));
}

TEST(Ventricle, ConductivitiesAreWordsOrNumbers) {
  const auto faults_of = [](std::vector<std::string> given) {
    VentricleOptions options = options_of(0.3);
    options.conductivity = std::move(given);
    ThrownFaults faults;
    try {
      const auto model = make_ventricle_model(options, faults);
      return "along " + std::to_string(model->sigma.along);
    } catch (const DeckError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(faults_of({"0.5", "1/4"}), "along 0.500000");
  EXPECT_NE(faults_of({"monno"}).find("sparse.matrix.ventricle.conductivity: is neither"), std::string::npos);
  EXPECT_NE(faults_of({"1", "2", "3"}).find("is neither"), std::string::npos);
  EXPECT_NE(faults_of({"1", "-2"}).find("'-2' is no positive number"), std::string::npos);
}

using VentricleParts = OnEveryExecutor;

// A GPU rounds sin, cos and tanh differently, so there the reference is its own; its pattern is the same.
TEST_P(VentricleParts, BitsDoNotDependOnThePartition) {
  for (const Numbering numbering : {Numbering::lattice, Numbering::morton, Numbering::random}) {
    VentricleOptions options = options_of(0.4);
    options.numbering = numbering;
    options.mass = 0.5;
    const VentricleSource source = source_of(options);
    const Index n = source.rows();
    const HostMatrix host = whole(source), reference = whole(source, executor(), {0, n});
    if (executor()->backend() != Backend::cuda) expect_same(reference, host);
    EXPECT_EQ(reference.col, host.col);
    expect_same(whole(source, executor(), {0, 0, 1, n / 3, n / 3 + 1, n - 2, n, n}, 0), reference);
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, VentricleParts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
