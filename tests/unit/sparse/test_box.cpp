// Rows of boxes: against the formulas written plainly, on every executor, cut anywhere.
#include <array>
#include <cmath>

#include "tests/unit/sparse/sources.hpp"

namespace halocline::sparse {
namespace {

const std::string poisson = R"(
box:
  grid: {size: [8, 6, 5], points: [7, 5, 4]}
  k: 1
  source: 1
  sides: {rest: {kind: dirichlet, value: 0}}
)";
const std::string cells = R"(
constants: {a: 2}
box:
  grid: {size: [1, 2, 1.5], cells: [6, 5, 4], origin: [0.1, -1, 0]}
  k: exp(x*y) + a*z
  anisotropy: {y: 0.3, z: 1.0e-3}
  reaction: 0.2 + x^2 + t
  source: sin(x) + y*z
  sides:
    x_max: {kind: neumann, value: y + z}
    y_min: {kind: dirichlet, value: cos(x) + z}
    rest: {kind: dirichlet, value: x - y*z}
)";
const std::string vortex = R"(
box:
  grid: {size: [1, 1.5], cells: [7, 5]}
  k: 0.01 + x/10
  velocity: [sin(pi*x)*cos(pi*y) + 0.3, -cos(pi*x)*sin(pi*y)]
  source: 1
  sides: {x_max: {kind: neumann, value: 0.25}, rest: {kind: dirichlet, value: y}}
)";
const std::string points = R"(
box:
  grid: {size: [1, 1.5, 2], points: [4, 6, 3]}
  k: 1 + x*y + z/2
  velocity: [1 + y, z - 0.5, 0.3*x]
  random: {kind: lognormal, decades: 2}
  source: x
  sides: {rest: {kind: dirichlet, value: 1 + x*z}}
)";
const std::string jumps = R"(
box:
  grid: {size: [6, 5, 7], cells: [6, 5, 7]}
  k: 1
  random: {kind: jump, decades: 4, block: 2, seed: 3}
  source: 1
  sides: {rest: {kind: dirichlet, value: 0}}
)";
const std::string hpcg = "box: {grid: {points: [5, 4, 3]}, stencil: hpcg}";
const std::string hpcg_2d = "box: {grid: {points: [5, 4]}, stencil: hpcg}";

// The formulas of the header box_kernels.hpp, face by face.
struct Plain {
  const BoxModel& m;
  double t;

  double value(const Coefficient& c, const std::array<double, 3>& x) const {
    const double at[4] = {x[0], x[1], x[2], t};
    return evaluate(c.expression, at);
  }
  std::array<double, 3> place(const std::array<Index, 3>& at) const {
    std::array<double, 3> x{};
    for (int a = 0; a < m.layout.dimensions; ++a) {
      const double shift = m.layout.points ? 1 : 0.5;
      x[static_cast<std::size_t>(a)] =
          m.layout.origin[a] + (static_cast<double>(at[static_cast<std::size_t>(a)]) + shift) * m.layout.spacing[a];
    }
    return x;
  }
  double k(const std::array<Index, 3>& at) const { return value(m.k, place(at)) * m.random(at[0], at[1], at[2]); }
  Index number(const std::array<Index, 3>& at) const { return at[0] + m.layout.n[0] * (at[1] + m.layout.n[1] * at[2]); }

  void compare(const HostMatrix& matrix) const {
    for (Index z = 0; z < m.layout.n[2]; ++z)
      for (Index y = 0; y < m.layout.n[1]; ++y)
        for (Index x = 0; x < m.layout.n[0]; ++x) compare_row(matrix, {x, y, z});
  }

  void compare_row(const HostMatrix& matrix, const std::array<Index, 3>& at) const {
    const Index row = number(at);
    double volume = 1;
    for (int a = 0; a < m.layout.dimensions; ++a) volume *= m.layout.spacing[a];
    double diagonal = value(m.reaction, place(at)) * volume, f = value(m.source, place(at)) * volume, scale = diagonal;
    Index entries = 1;
    for (std::size_t a = 0; a < static_cast<std::size_t>(m.layout.dimensions); ++a)
      for (const int step : {-1, 1}) {
        const double h = m.layout.spacing[a], area = volume / h;
        std::array<double, 3> face = place(at);
        face[a] += step * h / 2;
        const double flux = m.convection ? step * area * value(m.velocity[a], face) : 0;
        std::array<Index, 3> other = at;
        other[a] += step;
        if (other[a] >= 0 && other[a] < m.layout.n[a]) {
          const double ka = k(at), kb = k(other);
          const double conductance = area * m.anisotropy[a] * 2 * ka * kb / (ka + kb) / h;
          const double entry = -conductance + std::min(flux, 0.0);
          EXPECT_NEAR(matrix.at(row, number(other)), entry, 1e-14 * std::abs(entry)) << row;
          diagonal += conductance + std::max(flux, 0.0);
          ++entries;
          continue;
        }
        std::array<double, 3> wall = place(at);
        wall[a] = m.layout.origin[a] + (step > 0 ? m.layout.size[a] : 0);
        const BoxModel::Side& side = m.sides[2 * a + (step > 0 ? 1 : 0)];
        const double given = value(side.value, wall);
        if (side.kind == SideKind::neumann) {
          f += given * area;
          diagonal += std::max(flux, 0.0);
          continue;
        }
        const double kw = value(m.k, wall) * m.random(at[0], at[1], at[2]);
        const double conductance = m.anisotropy[a] * area * (m.layout.points ? (k(at) + kw) / 2 / h : kw / (h / 2));
        diagonal += conductance + std::max(flux, 0.0);
        f += (conductance - std::min(flux, 0.0)) * given;
        scale += conductance * std::abs(given);
      }
    EXPECT_NEAR(matrix.at(row, row), diagonal, 1e-13 * std::abs(diagonal)) << row;
    EXPECT_NEAR(matrix.rhs[static_cast<std::size_t>(row)], f, 1e-13 * (scale + std::abs(f))) << row;
    EXPECT_EQ(matrix.ptr[static_cast<std::size_t>(row) + 1] - matrix.ptr[static_cast<std::size_t>(row)], entries);
  }
};

TEST(Box, FormulasWrittenPlainly) {
  for (const std::string& text : {poisson, cells, vortex, points, jumps}) {
    const BoxSource source = box_of(text);
    const double t = 0.7;
    Plain{source.model(), t}.compare(whole(source, make_omp_executor(1), {0, source.rows()}, t));
  }
}

TEST(Box, SevenPoints) {
  const Index n = 9;
  const HostMatrix matrix =
      whole(box_of("box: {grid: {size: [10, 10, 10], points: [9, 9, 9]}, k: 1, source: 1, sides: {rest: {kind: "
                   "dirichlet, value: 0}}}"));
  EXPECT_EQ(matrix.entries(), 7 * n * n * n - 6 * n * n);
  for (Index i = 0; i < matrix.rows(); ++i) {
    EXPECT_EQ(matrix.rhs[static_cast<std::size_t>(i)], 1);
    for (Index e = matrix.ptr[static_cast<std::size_t>(i)]; e < matrix.ptr[static_cast<std::size_t>(i) + 1]; ++e)
      EXPECT_EQ(matrix.val[static_cast<std::size_t>(e)], matrix.col[static_cast<std::size_t>(e)] == i ? 6 : -1);
  }
}

TEST(Box, TwentySevenPointsHaveTheSolutionOne) {
  for (const auto& [text, entries, diagonal] :
       {std::tuple{hpcg, 13 * 10 * 7, 26.0}, std::tuple{hpcg_2d, 13 * 10, 8.0}}) {
    const HostMatrix matrix = whole(box_of(text));
    EXPECT_EQ(matrix.entries(), entries);
    EXPECT_EQ(matrix.times(std::vector<double>(matrix.rhs.size(), 1.0)), matrix.rhs);
    for (Index i = 0; i < matrix.rows(); ++i) EXPECT_EQ(matrix.at(i, i), diagonal);
  }
  EXPECT_EQ(box_of("box: {grid: {points: [50, 50, 50]}, stencil: hpcg}").model().entries(), 3241792);
}

// Numbers of entries as sums of what closed forms count.
TEST(Box, EntriesOfAnyShape) {
  for (const auto& n :
       std::vector<std::array<Index, 3>>{{1, 1, 1}, {5, 1, 1}, {1, 4, 1}, {2, 3, 1}, {3, 2, 4}, {1, 1, 6}})
    for (const int dimensions : {2, 3}) {
      if (dimensions == 2 && n[2] > 1) continue;
      BoxLayout layout;
      layout.dimensions = dimensions;
      std::copy(n.begin(), n.end(), layout.n);
      Index star = 0, full = 0;
      for (Index row = 0; row <= layout.rows(); ++row) {
        EXPECT_EQ(layout.star_entries_before(row), star);
        EXPECT_EQ(layout.full_entries_before(row), full);
        if (row == layout.rows()) break;
        Index at[3], box = 1;
        layout.place(row, at);
        star += 1;
        for (int a = 0; a < dimensions; ++a) {
          const Index near = (at[a] > 0 ? 1 : 0) + (at[a] < n[static_cast<std::size_t>(a)] - 1 ? 1 : 0);
          star += near;
          box *= 1 + near;
        }
        full += box;
      }
    }
}

// Without convection, to the bit.
TEST(Box, Symmetric) {
  for (const std::string& text : {poisson, cells, jumps, hpcg}) {
    const HostMatrix matrix = whole(box_of(text));
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index e = matrix.ptr[static_cast<std::size_t>(i)]; e < matrix.ptr[static_cast<std::size_t>(i) + 1]; ++e)
        EXPECT_EQ(matrix.val[static_cast<std::size_t>(e)], matrix.at(matrix.col[static_cast<std::size_t>(e)], i));
  }
}

TEST(Box, WhatDependsOnTime) {
  EXPECT_FALSE(box_of(poisson).depends_on_time());
  EXPECT_TRUE(box_of(cells).matrix_depends_on_time());
  const BoxSource heated =
      box_of("box: {grid: {size: [1, 1], cells: [4, 4]}, k: 1, source: t, sides: {rest: {kind: dirichlet, value: 0}}}");
  EXPECT_TRUE(heated.depends_on_time());
  EXPECT_FALSE(heated.matrix_depends_on_time());
}

using BoxParts = OnEveryExecutor;

// A GPU rounds exp, sin and pow differently, so there the reference is its own.
TEST_P(BoxParts, BitsDoNotDependOnThePartition) {
  for (const std::string& text : {poisson, cells, vortex, points, jumps, hpcg, hpcg_2d})
    for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points}) {
      const BoxSource source = box_of(text, path);
      const Index n = source.rows();
      const bool gpu = executor()->backend() == Backend::cuda;
      const HostMatrix reference = gpu ? whole(source, executor(), {0, n}) : whole(box_of(text));
      expect_same(whole(source, executor(), {0, n}), reference);
      expect_same(whole(source, executor(), {0, 0, 1, n / 3, n / 3 + 1, n - 2, n, n}), reference);
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, BoxParts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
