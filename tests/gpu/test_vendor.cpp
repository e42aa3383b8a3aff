// NVIDIA's libraries, opened at run time, against systems whose solution is known. Without a library: skipped.
#include "gpu/vendor.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <regex>

#include "gpu/devices.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

TEST(VendorLibraries, AreOpenedWithoutAGpu) {
  try {
    EXPECT_TRUE(std::regex_match(vendor_versions(), std::regex(R"(cuSPARSE \d+\.\d+\.\d+, cuBLAS \d+\.\d+\.\d+)")));
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(VendorLibraries, RefuseHostDevices) {
  try {
    Cusparse solver(make_omp_executor(1));
    FAIL() << "accepted";
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  } catch (const InternalError&) {
  }
}

class VendorTest : public testing::TestWithParam<std::string> {
 protected:
  Array<double, 1> placed(const std::vector<double>& host) const {
    Array<double, 1> array(executor, {static_cast<Index>(host.size())});
    array.assign(host);
    return array;
  }
  // The library, or nothing and the reason to skip.
  template <class Library>
  std::optional<Library> open() {
    try {
      return Library(executor);
    } catch (const MachineError& error) {
      why = error.what();
      return std::nullopt;
    }
  }
  const ExecutorPtr executor = make_executor(GetParam(), 1);
  std::string why;
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VendorTest);
std::vector<std::string> present() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, VendorTest, testing::ValuesIn(present()));

// Banded systems with `width` diagonals on either side, safely dominant, whose solution is chosen. Element (row, line)
// lies at row * row_step + line * line_step.
struct Systems {
  int rows, lines, width, row_step, line_step;
  std::vector<std::vector<double>> diagonals;  // from the lowest
  std::vector<double> solution, right_side;

  Systems(int row_count, int line_count, int band, bool interleaved)
      : rows(row_count),
        lines(line_count),
        width(band),
        row_step(interleaved ? lines : 1),
        line_step(interleaved ? 1 : rows),
        diagonals(static_cast<std::size_t>(2 * band + 1), std::vector<double>(static_cast<std::size_t>(rows * lines))),
        solution(diagonals[0].size()),
        right_side(diagonals[0].size()) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> value(-1, 1);
    for (double& x : solution) x = value(random);
    for (int row = 0; row < rows; ++row)
      for (int line = 0; line < lines; ++line) {
        const int here = row * row_step + line * line_step;
        for (int off = -width; off <= width; ++off) {
          if (row + off < 0 || row + off >= rows) continue;
          const double entry = off == 0 ? 5 + value(random) : value(random);
          diagonals[static_cast<std::size_t>(off + width)][static_cast<std::size_t>(here)] = entry;
          right_side[static_cast<std::size_t>(here)] +=
              entry * solution[static_cast<std::size_t>(here + off * row_step)];
        }
      }
  }
  void expect_solved(const std::vector<double>& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], solution[i], 1e-13) << i;
  }
};

TEST_P(VendorTest, SolvesPentadiagonalLines) {
  auto solver = open<Cusparse>();
  if (!solver) GTEST_SKIP() << why;
  for (const auto& [rows, lines] : {std::pair(5, 1), std::pair(64, 100), std::pair(300, 33)}) {
    const Systems systems(rows, lines, 2, true);
    std::vector<Array<double, 1>> bands;
    for (const auto& diagonal : systems.diagonals) bands.push_back(placed(diagonal));
    auto x = placed(systems.right_side);
    const auto band = [&](int i) { return bands[static_cast<std::size_t>(i)].view().data; };
    solver->solve_pentadiagonal(rows, lines, band(0), band(1), band(2), band(3), band(4), x.view().data);
    systems.expect_solved(x.to_host());
  }
}

TEST_P(VendorTest, SolvesTridiagonalLines) {
  auto solver = open<Cusparse>();
  if (!solver) GTEST_SKIP() << why;
  for (const auto& [rows, lines] : {std::pair(5, 1), std::pair(64, 100), std::pair(300, 33)}) {
    const Systems systems(rows, lines, 1, false);
    const auto lower = placed(systems.diagonals[0]), middle = placed(systems.diagonals[1]),
               upper = placed(systems.diagonals[2]);
    auto x = placed(systems.right_side);
    solver->solve_tridiagonal(rows, lines, lower.view().data, middle.view().data, upper.view().data, x.view().data);
    systems.expect_solved(x.to_host());
  }
}

TEST_P(VendorTest, MultipliesMatrices) {
  auto blas = open<Cublas>();
  if (!blas) GTEST_SKIP() << why;
  constexpr int m = 3, n = 5, k = 4;
  std::vector<double> a(m * k), b(k * n), expected(m * n);
  for (int i = 0; i < m * k; ++i) a[static_cast<std::size_t>(i)] = i + 1;
  for (int i = 0; i < k * n; ++i) b[static_cast<std::size_t>(i)] = 7 - 2 * i;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l) expected[i * n + j] += a[i * k + l] * b[l * n + j];
  const auto da = placed(a), db = placed(b);
  auto dc = placed(std::vector<double>(m * n, -1));
  blas->multiply(m, n, k, da.view().data, db.view().data, dc.view().data);
  EXPECT_EQ(dc.to_host(), expected);
}

}  // namespace
}  // namespace halocline
