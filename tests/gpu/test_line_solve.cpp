// The line solves of collocation on a GPU against cuSPARSE's pentadiagonal solver, with the times of both.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <random>

#include "gpu/devices.hpp"
#include "gpu/line_kernels.hpp"
#include "gpu/vendor.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/collocation/line_matrices.hpp"
#include "lib/problems/collocation/schur_kernels.hpp"

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

class LineSolveTest : public testing::TestWithParam<std::string> {
 protected:
  Array<double, 1> placed(const std::vector<double>& host) const { return make_array(executor, host); }
  template <class Work>
  double milliseconds(int times, const Work& work) const {
    executor->synchronize();
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) work();
    executor->synchronize();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count() / times;
  }
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LineSolveTest);
INSTANTIATE_TEST_SUITE_P(cuda, LineSolveTest,
                         testing::ValuesIn(cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"}
                                                                   : std::vector<std::string>{}));

TEST_P(LineSolveTest, EqualsCusparse) {
  std::optional<Cusparse> cusparse;
  try {
    cusparse.emplace(executor);
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const Index elements : {20, 256, 1024}) {
    const Index groups = elements / 16, size = 4 * elements * lanes, lines = groups * lanes;
    const auto coefficients =
        line_coefficients(equation, 1.0 / static_cast<double>(elements), Axis(uniform_nodes(elements)));
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> x(static_cast<std::size_t>((groups + 3) * size));
    for (double& value : x) value = uniform(random);
    const auto neighbors = placed(x), table = placed(coefficients);
    Array<double, 1> target(executor, {groups * size});
    const LineSolve solve{table.view().data,
                          elements,
                          warm_up_elements(coefficients),
                          {neighbors.view().data, nullptr, groups + 3, size},
                          0,
                          0,
                          groups,
                          target.view().data};
    solve_lines(*executor, "lines", solve);
    const auto own = target.to_host();

    double error = 0, largest = 0, theirs = 0;
    for (const int matrix : {1, 2}) {
      std::vector<double> rhs(static_cast<std::size_t>(2 * elements * lines));
      for (Index l = 0; l < lines; ++l) {
        const double* left = x.data() + l / lanes * size + l % lanes;
        const Line line = right_hand_side(coefficients, left, left + size);
        for (Index row = 0; row < 2 * elements; ++row)
          rhs[row * lines + l] = (matrix == 1 ? line.v : line.w)[static_cast<std::size_t>(row)];
      }
      auto bands = diagonals(matrix, elements, lines);
      std::vector<Array<double, 1>> device;
      for (const auto& band : bands) device.push_back(placed(band));
      auto solution = placed(rhs);
      const auto call = [&] {
        cusparse->solve_pentadiagonal(static_cast<LocalIndex>(2 * elements), static_cast<LocalIndex>(lines),
                                      device[0].view().data, device[1].view().data, device[2].view().data,
                                      device[3].view().data, device[4].view().data, solution.view().data);
      };
      call();
      const auto expected = solution.to_host();
      for (Index l = 0; l < lines; ++l)
        for (Index row = 0; row < 2 * elements; ++row) {
          const double got = own[l / lanes * size + (2 * row + matrix - 1) * lanes + l % lanes];
          error = std::max(error, std::abs(got - expected[row * lines + l]));
          largest = std::max(largest, std::abs(got));
        }
      theirs += milliseconds(3, call);  // on what the first call left: the same work
    }
    EXPECT_LT(error, 1e-11 * largest) << elements;
    const double ours = milliseconds(20, [&] { solve_lines(*executor, "lines", solve); });
    std::printf("%ld lines of %ld elements: halocline %.4f ms, cuSPARSE %.4f ms, ratio %.1f\n",
                static_cast<long>(lines), static_cast<long>(elements), ours, theirs, theirs / ours);
  }
}

}  // namespace
}  // namespace halocline::collocation
