// The solver of whole grid lines against dense blocks solved by LAPACK.

#include <gtest/gtest.h>

#include "lib/problems/collocation/lines/block_lines.hpp"
#include "tests/unit/collocation/lines/lines_cases.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

// D^-1 r by both colors of lines; x keeps what it had where no line goes.
template <class T>
std::vector<double> solve(const Case& c, Along along, const ExecutorPtr& executor, const std::vector<double>& r,
                          double start) {
  const Formulation problem = formulation_of(c);
  const NodalBlock block{0, problem.x.elements() + 1, problem.x.elements(), problem.y.elements()};
  const Equations<T> equations(problem, problem.x, problem.y, block, executor, 1);
  const std::vector<T> rounded(r.begin(), r.end());
  Array<T, 1> rhs = make_array(executor, rounded);
  Array<T, 1> x = make_array(executor, std::vector<T>(r.size(), static_cast<T>(start)));
  for (int color = 0; color < 2; ++color) {
    const BlockLines<T> lines(equations.view(), along,
                              lines_of_color(0, along == Along::y ? block.lines() : block.nodes(), color), executor);
    EXPECT_FALSE(lines.singular().has_value());
    lines.solve(rhs.view().data, x.view().data, start != 0);
  }
  const std::vector<T> host = x.to_host();
  return {host.begin(), host.end()};
}

class BlockLinesTest : public OnEveryExecutor {
 protected:
  template <class T>
  void compare(const Case& c, double tolerance) {
    const Dense dense(c);
    for (const Along along : {Along::y, Along::x}) {
      const auto b = random_numbers(dense.a.size(), 3);
      const auto expected = dense.unknowns(dense.solve_lines(along == Along::y, b));
      double largest = 0;
      for (const double value : expected) largest = std::max(largest, std::abs(value));
      const auto got = solve<T>(c, along, executor(), dense.equations(b), 0);
      for (std::size_t n = 0; n < got.size(); ++n)
        ASSERT_NEAR(got[n], expected[n], tolerance * largest)
            << c.name << " " << dense.nx << " x " << dense.ny << ", along " << (along == Along::y ? "y" : "x") << " at "
            << n;
    }
  }
};

TEST_P(BlockLinesTest, EqualDenseBlocks) {
  for (const auto& [n, m] : {std::pair<Index, Index>{2, 2}, {3, 4}, {5, 3}})
    for (const Case& c : all_cases(n, m))
      if (GetParam() == TestDevice::omp_1 || n == 5) compare<double>(c, 2e-12);  // emulated launches are slow
}

TEST_P(BlockLinesTest, EqualDenseBlocksOnLongLines) {
  for (const Case& c : all_cases(2, 33)) compare<double>(c, 1e-11);
  for (const Case& c : all_cases(33, 2)) compare<double>(c, 1e-11);
}

TEST_P(BlockLinesTest, FloatEqualsDenseBlocksToItsPrecision) {
  for (const Case& c : all_cases(8, 9)) compare<float>(c, 2e-3);
}

TEST_P(BlockLinesTest, AddsToWhatIsThere) {
  const Case c = all_cases(4, 5)[2];
  const Dense dense(c);
  const auto r = dense.equations(random_numbers(dense.a.size(), 5));
  const auto plain = solve<double>(c, Along::y, executor(), r, 0), added = solve<double>(c, Along::y, executor(), r, 3);
  const NodalBlock block{0, 5, 4, 5};
  for (Index i = 0; i < 5; ++i)
    for (int k = 0; k < 4; ++k)
      for (Index j = 0; j <= 5; ++j) {
        const Index at = i * block.line_size() + block.place(k, j);
        ASSERT_NEAR(added[at], plain[at] + 3, 1e-14);
      }
}

TEST_P(BlockLinesTest, ReportsSingularBlocks) {
  Case c = all_cases(3, 3)[0];
  set_constant(c, {0, 0, 0, 0, 0, 0});
  const Formulation problem = formulation_of(c);
  const NodalBlock block{0, 4, 3, 3};
  const Equations<double> equations(problem, problem.x, problem.y, block, executor(), 1);
  const BlockLines<double> lines(equations.view(), Along::y, lines_of_color(0, 4, 1), executor());
  ASSERT_TRUE(lines.singular().has_value());
  EXPECT_EQ(lines.singular()->line, 1);
}

// With an eta for which the block of a line's first node is nearly singular, though the line is not.
TEST(BlockLines, NoticesEliminationThatLosesDigits) {
  Case c = all_cases(3, 3)[0];
  const auto determinant = [&c](double eta) {
    set_constant(c, {1, 0, 1, 0, 0, 0});
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", eta);
    c.text[5] = text;
    c.value[5] = [eta](double, double) { return eta; };
    const Dense dense(c);
    const Index rows = dense.rows();  // unknowns 1 and 2 along x belong to line 1, unknown 0 along y to node 0
    return dense.a[rows][rows] * dense.a[2 * rows][2 * rows] - dense.a[rows][2 * rows] * dense.a[2 * rows][rows];
  };
  double low = 0, high = 1;
  while (determinant(low) * determinant(high) > 0) high += 1;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (determinant(low) * determinant(middle) > 0 ? low : high) = middle;
  }
  determinant(low * (1 + 1e-12));  // not so near that the block is singular for one way of rounding only
  const ExecutorPtr executor = make_omp_executor(1);
  const Formulation problem = formulation_of(c);
  const NodalBlock block{0, 4, 3, 3};
  const Equations<double> equations(problem, problem.x, problem.y, block, executor, 1);
  const auto lines = lines_of_color(0, 4, 1);
  EXPECT_TRUE(BlockLines<double>(equations.view(), Along::y, lines, executor, 1e6).singular().has_value());
  EXPECT_FALSE(BlockLines<double>(equations.view(), Along::y, lines, executor, 1e18).singular().has_value());
}

TEST(LinesOfColor, FillsGroupsAndCountsFromTheFirst) {
  EXPECT_EQ(lines_of_color(3, 4, 1), (std::vector<Index>{0, 2, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(lines_of_color(2, 4, 1), (std::vector<Index>{1, 3, -1, -1, -1, -1, -1, -1}));
  EXPECT_TRUE(lines_of_color(0, 1, 1).empty());
}

INSTANTIATE_TEST_SUITE_P(Executors, BlockLinesTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
