// The line solves of collocation on a GPU against cuSPARSE's pentadiagonal solver, with the times of both.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <random>

#include "gpu/devices.hpp"
#include "gpu/vendor.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/collocation/schur/line_kernels.hpp"
#include "lib/problems/collocation/schur/line_matrices.hpp"
#include "lib/problems/collocation/schur/schur_kernels.hpp"

namespace halocline::collocation {
namespace {

using Clock = std::chrono::steady_clock;
constexpr ConstantEquation equation{1, 1, 0, -1};

std::vector<double> uniform_nodes(Index elements) {
  std::vector<double> nodes;
  for (Index i = 0; i <= elements; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(elements));
  return nodes;
}

// Right-hand sides and solutions of A1 V = r1 and A2 W = r2 for one lane of a group, unknown by unknown.
struct Line {
  std::vector<double> v, w;
};

Line right_hand_side(const std::vector<double>& coefficients, const double* left, const double* right) {
  const auto elements = static_cast<Index>(coefficients.size()) / coefficients_per_element;
  Line line;
  for (Index e = 0; e < elements; ++e) {
    double from_right[2], from_left[2], unused[2];
    couple(right, coefficients.data(), e, 2 * elements, from_right, unused);
    couple(left, coefficients.data(), e, 2 * elements, unused, from_left);
    for (int q = 0; q < 2; ++q) {
      line.v.push_back(from_right[q] + from_left[q]);
      line.w.push_back(from_right[q] - from_left[q]);
    }
  }
  return line;
}

// The five diagonals of A1 (matrix 1) or A2 (matrix 2), every line the same, interleaved.
std::array<std::vector<double>, 5> diagonals(int matrix, Index elements, Index lines) {
  const Axis y(uniform_nodes(elements));
  std::array<std::vector<double>, 5> bands;
  for (auto& band : bands) band.assign(static_cast<std::size_t>(2 * elements * lines), 0.0);
  for (Index row = 0; row < 2 * elements; ++row) {
    const auto entries = line_matrix_row(equation, 1.0 / static_cast<double>(elements), y, matrix, row);
    for (int m = 0; m < 4; ++m) {
      const Index column = row / 2 * 2 - 1 + m;
      if (column < 0 || column >= 2 * elements) continue;
      for (Index l = 0; l < lines; ++l)
        bands[static_cast<std::size_t>(column - row + 2)][row * lines + l] = entries[static_cast<std::size_t>(m)];
    }
  }
  return bands;
}

// Lines of a square mesh with random neighbors: an example of what the kernel gets.
struct Example {
  Example(const ExecutorPtr& executor, Index n)
      : elements(n), groups(n / 16), size(4 * n * lanes), target(executor, {groups * size}) {
    coefficients = line_coefficients(equation, 1.0 / static_cast<double>(n), Axis(uniform_nodes(n)));
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    x.resize(static_cast<std::size_t>((groups + 3) * size));
    for (double& value : x) value = uniform(random);
    neighbors = make_array(executor, x);
    table = make_array(executor, coefficients);
    solve = {table.view().data,
             n,
             warm_up_elements(coefficients),
             {neighbors.view().data, nullptr, groups + 3, size},
             nullptr,
             nullptr,
             0,
             0,
             groups,
             target.view().data};
  }
  Index line_count() const { return groups * lanes; }
  // Of V (matrix 1) or W (matrix 2), interleaved over lines.
  std::vector<double> right_hand_sides(int matrix) const {
    std::vector<double> rhs(static_cast<std::size_t>(2 * elements * line_count()));
    for (Index l = 0; l < line_count(); ++l) {
      const double* left = x.data() + l / lanes * size + l % lanes;
      const Line line = right_hand_side(coefficients, left, left + size);
      for (Index row = 0; row < 2 * elements; ++row)
        rhs[row * line_count() + l] = (matrix == 1 ? line.v : line.w)[static_cast<std::size_t>(row)];
    }
    return rhs;
  }

  Index elements, groups, size;
  std::vector<double> coefficients, x;
  Array<double, 1> neighbors, table, target;
  LineSolve solve{};
};

class LineSolveTest : public testing::TestWithParam<std::string> {
 protected:
  template <class Work>
  double milliseconds(int times, const Work& work) const {
    executor->synchronize();
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) work();
    executor->synchronize();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count() / times;
  }
  // Compares the example's target with what cuSPARSE finds; returns its time.
  double compare(Cusparse& cusparse, const Example& example, int matrix) const;
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LineSolveTest);
INSTANTIATE_TEST_SUITE_P(cuda, LineSolveTest,
                         testing::ValuesIn(cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"}
                                                                   : std::vector<std::string>{}));

double LineSolveTest::compare(Cusparse& cusparse, const Example& example, int matrix) const {
  const Index lines = example.line_count(), rows = 2 * example.elements;
  std::vector<Array<double, 1>> bands;
  for (const auto& band : diagonals(matrix, example.elements, lines)) bands.push_back(make_array(executor, band));
  Array<double, 1> solution = make_array(executor, example.right_hand_sides(matrix));
  const auto call = [&] {
    cusparse.solve_pentadiagonal(static_cast<LocalIndex>(rows), static_cast<LocalIndex>(lines), bands[0].view().data,
                                 bands[1].view().data, bands[2].view().data, bands[3].view().data, bands[4].view().data,
                                 solution.view().data);
  };
  call();
  const auto expected = solution.to_host(), own = example.target.to_host();
  double error = 0, largest = 0;
  for (Index l = 0; l < lines; ++l)
    for (Index row = 0; row < rows; ++row) {
      const double got = own[l / lanes * example.size + (2 * row + matrix - 1) * lanes + l % lanes];
      error = std::max(error, std::abs(got - expected[row * lines + l]));
      largest = std::max(largest, std::abs(got));
    }
  EXPECT_LT(error, 1e-11 * largest) << example.elements << " elements, matrix A" << matrix;
  return milliseconds(3, call);  // on what the first call left: the same work
}

TEST_P(LineSolveTest, EqualsCusparse) {
  std::optional<Cusparse> cusparse;
  try {
    cusparse.emplace(executor);
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const Index elements : {20, 256, 1024}) {
    Example example(executor, elements);
    const auto solve = [&] { solve_lines(*executor, "lines", example.solve); };
    solve();
    const double theirs = compare(*cusparse, example, 1) + compare(*cusparse, example, 2);
    const double ours = milliseconds(20, solve);
    std::printf("%ld lines of %ld elements: halocline %.4f ms, cuSPARSE %.4f ms, ratio %.1f\n",
                static_cast<long>(example.line_count()), static_cast<long>(elements), ours, theirs, theirs / ours);
  }
}

}  // namespace
}  // namespace halocline::collocation
