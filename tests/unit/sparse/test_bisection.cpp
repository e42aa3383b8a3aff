// Rows of boxes numbered by bisection: the matrix of x-fastest rows, permuted, and surfaces of runs of numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tests/unit/sparse/sources.hpp"

namespace halocline::sparse {
namespace {

BoxLayout layout_of(const std::array<Index, 3>& n) {
  BoxLayout layout;
  std::copy(n.begin(), n.end(), layout.n);
  layout.bisected = true;
  return layout;
}

TEST(Bisection, NumbersEveryPlaceOnce) {
  for (const auto& n :
       std::vector<std::array<Index, 3>>{{1, 1, 1}, {40, 33, 29}, {1, 5000, 1}, {3001, 2, 1}, {2, 1, 900}}) {
    const BoxLayout layout = layout_of(n);
    std::set<Index> seen;
    for (Index number = 0; number < layout.rows(); ++number) {
      const Index row = layout.from_natural(number);
      ASSERT_TRUE(row >= 0 && row < layout.rows());
      seen.insert(row);
      ASSERT_EQ(layout.natural(row), number);
    }
    EXPECT_EQ(static_cast<Index>(seen.size()), layout.rows());
  }
}

// Places outside a run that lie beside one of it.
Index surface(const BoxLayout& layout, Index begin, Index end) {
  std::set<Index> outside;
  for (Index row = begin; row < end; ++row) {
    Index at[3];
    layout.place(row, at);
    const BoxPiece around = layout.around(row);
    for (int axis = 0; axis < 3; ++axis)
      for (const Index step : {-1, 1}) {
        at[axis] += step;
        if (at[axis] >= 0 && at[axis] < layout.n[axis]) {
          const Index other = layout.row(around, at);
          if (other < begin || other >= end) outside.insert(other);
        }
        at[axis] -= step;
      }
  }
  return static_cast<Index>(outside.size());
}

// Powers of two are boxes themselves; other numbers of parts come near to cubes.
TEST(Bisection, RunsAreCompact) {
  const BoxLayout cube = layout_of({48, 48, 48});
  const Index rows = cube.rows();
  for (const int parts : {8, 64}) {
    const Index side = 48 / static_cast<Index>(std::cbrt(parts) + 0.5), own = side * side * side;
    Index most = 0;
    for (Index p = 0; p < parts; ++p) most = std::max(most, surface(cube, p * own, (p + 1) * own));
    EXPECT_EQ(most, (parts == 8 ? 3 : 6) * side * side);
  }
  for (const int parts : {3, 5, 7, 12, 27, 50}) {
    Index most = 0;
    for (Index p = 0; p < parts; ++p) most = std::max(most, surface(cube, rows * p / parts, rows * (p + 1) / parts));
    EXPECT_LT(static_cast<double>(most), 8 * std::pow(static_cast<double>(rows) / parts, 2.0 / 3)) << parts;
  }
}

const std::string cells = R"(
box:
  grid: {size: [1, 2, 1.5], cells: [17, 15, 12], origin: [0.1, -1, 0]}
  k: exp(x*y) + 2*z
  anisotropy: {y: 0.3, z: 1.0e-3}
  velocity: [0.3 + 0.1*sin(y), 0.1*x, 0]
  reaction: 0.2 + x^2 + t
  source: sin(x) + y*z
  sides:
    x_max: {kind: neumann, value: y + z}
    y_max: {kind: dirichlet, value: cos(x) + z}
    rest: {kind: dirichlet, value: x - y*z}
)";
const std::string medium = R"(
box:
  grid: {size: [1, 1.5, 2], points: [14, 16, 13]}
  k: 1 + x*y + z/2
  random: {kind: lognormal, decades: 2}
  source: x
  sides: {rest: {kind: dirichlet, value: 1 + x*z}}
)";
const std::string jumps = R"(
box:
  grid: {size: [6, 5], cells: [70, 50]}
  k: 1
  random: {kind: jump, decades: 4, block: 2, seed: 3}
  source: 1
  sides: {rest: {kind: dirichlet, value: 0}}
)";
const std::string hpcg = "box: {grid: {points: [15, 14, 13]}, stencil: hpcg}";

BoxSource bisected(const std::string& text, FormulaPath path = FormulaPath::of_executor) {
  BoxModel model = *read_box(text).model;
  model.layout.bisected = true;
  return BoxSource(model, path);
}

using BisectedBox = OnEveryExecutor;

TEST_P(BisectedBox, IsTheMatrixPermuted) {
  for (const std::string& text : {cells, medium, jumps, hpcg})
    for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points}) {
      const BoxSource source = bisected(text, path);
      const Index n = source.rows();
      const HostMatrix natural = whole(box_of(text, path), executor(), {0, n}, 0.7),
                       found = whole(source, executor(), {0, 1, 1, n / 3, n}, 0.7);
      const RowNumbers numbers = source.row_numbers();
      ASSERT_GT(n, BoxPiece::most);
      ASSERT_EQ(found.entries(), natural.entries());
      Index moved = 0;
      for (Index row = 0; row < n; ++row) {
        const Index number = numbers.input(row);
        ASSERT_EQ(numbers.here(number), row);
        moved += number != row ? 1 : 0;
        ASSERT_EQ(found.rhs[static_cast<std::size_t>(row)], natural.rhs[static_cast<std::size_t>(number)]);
        for (Index e = natural.ptr[static_cast<std::size_t>(number)];
             e < natural.ptr[static_cast<std::size_t>(number) + 1]; ++e)
          ASSERT_EQ(found.at(row, numbers.here(natural.col[static_cast<std::size_t>(e)])),
                    natural.val[static_cast<std::size_t>(e)]);
      }
      EXPECT_GT(moved, n / 2);
    }
}

TEST_P(BisectedBox, ValuesOfFormulas) {
  const BoxSource source = bisected(medium), natural = box_of(medium);
  const Index n = source.rows();
  const auto found = source.conductivity(executor(), {{5}, {n - 3}}, 0).to_host(),
             known = natural.conductivity(executor(), {{0}, {n}}, 0).to_host();
  ASSERT_EQ(static_cast<Index>(found.size()), n - 8);
  for (Index row = 5; row < n - 3; ++row)
    ASSERT_EQ(found[static_cast<std::size_t>(row - 5)],
              known[static_cast<std::size_t>(source.row_numbers().input(row))]);
}

INSTANTIATE_TEST_SUITE_P(Executors, BisectedBox, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
