// The Schur operator against dense blocks assembled independently, on every executor and for any number of parts.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/schur/line_kernels.hpp"
#include "lib/problems/collocation/schur/schur.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/collocation/dense_reference.hpp"
#include "tests/unit/dense_solve.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

struct Case {
  Index nx;
  std::vector<double> y;
  ConstantEquation equation;
};

std::vector<double> uniform_nodes(Index n) {
  std::vector<double> nodes;
  for (Index i = 0; i <= n; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(n));
  return nodes;
}

// Position of an unknown of line i among the unknowns along x: V is 2i-1, W is 2i, but 0 and 2nx-1 at the ends.
Index x_unknown(Index i, int field, Index nx) {
  if (i == 0) return field == 1 ? 0 : -1;
  if (i == nx) return field == 1 ? 2 * nx - 1 : -1;
  return 2 * i - 1 + field;
}

// Dense D^-1 of one color and coupling to the other, from the full matrix. Line i owns Gauss columns 2i-1, 2i.
struct DenseSchur {
  explicit DenseSchur(const Case& c) : nx(c.nx), rows(2 * (static_cast<Index>(c.y.size()) - 1)) {
    a = reference::assemble(uniform_nodes(nx), c.y, c.equation.a, c.equation.c, c.equation.e, c.equation.eta);
    for (Index column = 0; column < 2 * nx; ++column) {
      const Index line = (column + 1) / 2;
      for (Index k = 0; k < rows; ++k) (line % 2 == 0 ? red : black).push_back(column * rows + k);
    }
  }
  reference::Matrix block(const std::vector<Index>& r, const std::vector<Index>& c) const {
    reference::Matrix m;
    for (Index i : r) {
      m.emplace_back();
      for (Index j : c) m.back().push_back(a[i][j]);
    }
    return m;
  }
  // x - D_B^-1 H_R D_R^-1 H_B x
  std::vector<double> product(const std::vector<double>& x) const {
    const auto t = solve_dense(block(red, red), reference::multiply(block(red, black), x));
    const auto s = solve_dense(block(black, black), reference::multiply(block(black, red), t));
    std::vector<double> y = x;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= s[i];
    return y;
  }
  Index nx, rows;
  reference::Matrix a;
  std::vector<Index> red, black;  // unknowns, and the equations paired with them (the same numbers)
};

class SchurTest : public OnEveryExecutor {
 protected:
  // One rank with `parts` devices.
  void set_up(const Case& c, int parts, ProductMethod method = ProductMethod::automatic) {
    team_ = std::make_unique<Team>(make_test_executors(GetParam(), parts), 0, parts);
    const Axis y(c.y);
    const std::vector<double> weights(static_cast<std::size_t>(parts), 1.0);
    const Partition partition(c.nx + 1, 2, weights, 2);
    std::vector<LineBlock> blocks;
    for (int p = 0; p < parts; ++p)
      blocks.push_back({partition.block(p).lo[0], partition.block(p).hi[0], c.nx, y.unknowns()});
    schur_ =
        std::make_unique<SchurOperator>(comm_, *team_, blocks, c.equation, 1.0 / static_cast<double>(c.nx), y, method);
  }

  // Copies values ordered by unknown along x, then y, between a vector and the host.
  template <class Copy>
  void for_each_black(const DenseSchur& dense, int part, const Copy& visit) {
    const LineBlock& block = schur_->block(part);
    for (std::size_t n = 0; n < dense.black.size(); ++n) {
      const Index x = dense.black[n] / dense.rows, k = dense.black[n] % dense.rows;
      const Index line = (x + 1) / 2;
      if (line < block.first_line || line >= block.end_line) continue;
      const int field = x == x_unknown(line, 1, dense.nx) ? 1 : 0;
      visit(n, block.offset((line - block.first_line) / 2) + (2 * block.stored(k) + field) * lanes);
    }
  }
  void put(const DenseSchur& dense, const std::vector<double>& from, Vector<double>& to) {
    for (int p = 0; p < team_->parts(); ++p) {
      std::vector<double> host(static_cast<std::size_t>(to.part(p).size()), 0.0);
      for_each_black(dense, p, [&](std::size_t n, Index at) { host[at] = from[n]; });
      team_->executor(p)->copy_in(to.part(p).data, host.data(), host.size() * sizeof(double));
    }
  }
  std::vector<double> get(const DenseSchur& dense, const Vector<double>& from, double& unused_sum) {
    std::vector<double> values(dense.black.size());
    unused_sum = 0;
    for (int p = 0; p < team_->parts(); ++p) {
      std::vector<double> host(static_cast<std::size_t>(from.part(p).size()));
      team_->executor(p)->copy_out(host.data(), from.part(p).data, host.size() * sizeof(double));
      for_each_black(dense, p, [&](std::size_t n, Index at) {
        values[n] = host[at];
        host[at] = 0;
      });
      for (double value : host) unused_sum += std::abs(value);
    }
    return values;
  }

  Communicator comm_{MPI_COMM_SELF};
  std::unique_ptr<Team> team_;
  std::unique_ptr<SchurOperator> schur_;
};

const std::vector<Case> cases{{2, uniform_nodes(2), {1, 1, 0, -1}},      {3, uniform_nodes(4), {1, 1, 0, -1}},
                              {4, uniform_nodes(4), {1, 0.25, 0, 0}},    {5, {0, 0.1, 0.4, 1.0}, {2, 1, 3, -4}},
                              {8, uniform_nodes(3), {1, 1, 0, -1}},      {9, uniform_nodes(2), {0.1, 1, -1, -1}},
                              {10, uniform_nodes(30), {1e-6, 1, 60, 0}}, {10, uniform_nodes(30), {1e-6, 1, -60, 0}},
                              {33, uniform_nodes(2), {1, 1, 0, -1}},     {36, uniform_nodes(2), {1, 1, 0.5, -1}}};

class SchurProductTest : public SchurTest {
 protected:
  void compare(const Case& c, ProductMethod method);
  // Where block kernels run: on a GPU, or slowly on the host.
  static bool runs_tiled() {
    const ExecutorPtr executor = make_test_executor(GetParam());
    const bool worthwhile = GetParam() == TestDevice::omp_1 || GetParam() == TestDevice::cuda;
    return worthwhile && can_solve_lines(*executor, 1, 1);
  }
};

void SchurProductTest::compare(const Case& c, ProductMethod method) {
  {
    const DenseSchur dense(c);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> x(dense.black.size()), w(x.size());
    for (double& value : x) value = uniform(random);
    for (double& value : w) value = uniform(random);
    const auto expected = dense.product(x);
    double yy = 0, yw = 0, largest = 0;
    StepSums step{0, 0, 0, 0, 0};
    for (std::size_t n = 0; n < x.size(); ++n) {
      yy += expected[n] * expected[n];
      yw += expected[n] * w[n];
      step.ts += expected[n] * x[n];
      step.ss += x[n] * x[n];
      step.r0_s += x[n] * w[n];
      largest = std::max(largest, std::abs(expected[n]));
    }
    for (const int parts : {1, 2, 3, 4}) {
      if (parts > (c.nx + 1) / 2) continue;
      set_up(c, parts, method);
      Vector<double> vx(schur_->space()), vy(schur_->space()), vw(schur_->space());
      put(dense, x, vx);
      put(dense, w, vw);
      const auto sums = schur_->apply_with_dots(vx, vy, vw);
      double unused = 0;
      const auto got = get(dense, vy, unused);
      EXPECT_EQ(unused, 0) << "places without an unknown must stay zero, nx = " << c.nx << ", parts = " << parts;
      for (std::size_t n = 0; n < x.size(); ++n)
        ASSERT_NEAR(got[n], expected[n], 1e-12 * largest) << "nx = " << c.nx << ", parts = " << parts << ", n = " << n;
      EXPECT_NEAR(sums.yy, yy, 1e-12 * yy);
      const double slack = 1e-11 * std::sqrt((yy + step.ss) * static_cast<double>(x.size()));
      EXPECT_NEAR(sums.yw, yw, slack);
      if (parts > 2) continue;
      fill(vy, 0);
      const StepSums all = schur_->apply_with_step_sums(vx, vy, vx, vw);
      EXPECT_EQ(get(dense, vy, unused), got);
      EXPECT_NEAR(all.tt, yy, 1e-12 * yy);
      EXPECT_NEAR(all.ts, step.ts, slack);
      EXPECT_NEAR(all.ss, step.ss, slack);
      EXPECT_NEAR(all.r0_t, yw, slack);
      EXPECT_NEAR(all.r0_s, step.r0_s, slack);
    }
  }
}

TEST_P(SchurProductTest, RollingEqualsDenseBlocks) {
  if (make_test_executors(GetParam(), 1)[0]->backend() == Backend::cuda) GTEST_SKIP() << "rolling is for the host";
  for (const Case& c : cases) compare(c, ProductMethod::rolling);
}

// The last cases are long enough along the line for several chunks.
TEST_P(SchurProductTest, ChunkedEqualsDenseBlocks) {
  for (const Case& c : cases) compare(c, ProductMethod::chunked);
  compare({2, uniform_nodes(100), {1, 1, 0, -1}}, ProductMethod::chunked);
  compare({3, uniform_nodes(70), {1, 0.3, 2, -1}}, ProductMethod::chunked);
}

// Blocks of threads: lines of one tile, whole or not, and of two to five tiles that overlap.
TEST_P(SchurProductTest, TiledEqualsDenseBlocks) {
  if (!runs_tiled()) GTEST_SKIP() << "tiled is for block kernels";
  for (const Case& c : cases) compare(c, ProductMethod::tiled);
  const bool quick = GetParam() == TestDevice::cuda;  // the host pretends
  for (const Index elements : quick ? std::vector<Index>{63, 64, 65, 100, 256} : std::vector<Index>{65})
    compare({3, uniform_nodes(elements), {1, 0.3, 2, -1}}, ProductMethod::tiled);
  if (quick) compare({40, uniform_nodes(12), {1, 1, 0, -1}}, ProductMethod::tiled);
}

// Lines too long for dense matrices: tiled against chunked.
TEST_P(SchurProductTest, TiledEqualsChunkedOnLongLines) {
  if (!runs_tiled()) GTEST_SKIP() << "tiled is for block kernels";
  const bool quick = GetParam() == TestDevice::cuda;
  for (const Index elements : quick ? std::vector<Index>{257, 300, 511, 777, 1024} : std::vector<Index>{600})
    for (ConstantEquation equation : {ConstantEquation{1, 1, 0, -1}, {3, 1, 20, 0}, {2, 1, -20, -5}}) {
      const double ratio = static_cast<double>(elements) / 70;
      equation.a *= ratio * ratio;  // as on a square mesh, where recurrences forget fast
      const Case c{70, uniform_nodes(elements), equation};
      for (const int parts : {1, 3}) {
        if (!quick && (parts > 1 || equation.eta == 0)) continue;
        std::vector<std::vector<double>> results;
        std::vector<Dots> sums;
        for (const ProductMethod method : {ProductMethod::chunked, ProductMethod::tiled}) {
          set_up(c, parts, method);
          Vector<double> x(schur_->space()), y(schur_->space()), w(schur_->space());
          std::mt19937 random(5);
          std::uniform_real_distribution<double> uniform(-1, 1);
          std::vector<double> all;
          for (int p = 0; p < parts; ++p) {
            const LineBlock& block = schur_->block(p);
            std::vector<double> host(static_cast<std::size_t>(x.part(p).size()), 0.0), other = host;
            for (Index pair = 0; pair < block.pairs(); ++pair) {
              if (block.first_line + 2 * pair + 1 >= block.end_line) continue;
              for (Index k = 0; k < 2 * block.rows; ++k) {
                host[block.offset(pair) + k * lanes] = uniform(random);
                other[block.offset(pair) + k * lanes] = uniform(random);
              }
            }
            team_->executor(p)->copy_in(x.part(p).data, host.data(), host.size() * sizeof(double));
            team_->executor(p)->copy_in(w.part(p).data, other.data(), other.size() * sizeof(double));
          }
          sums.push_back(schur_->apply_with_dots(x, y, w));
          for (int p = 0; p < parts; ++p) {
            std::vector<double> host(static_cast<std::size_t>(y.part(p).size()));
            team_->executor(p)->copy_out(host.data(), y.part(p).data, host.size() * sizeof(double));
            all.insert(all.end(), host.begin(), host.end());
          }
          results.push_back(all);
        }
        double largest = 0;
        for (const double value : results[0]) largest = std::max(largest, std::abs(value));
        for (std::size_t n = 0; n < results[0].size(); ++n)
          ASSERT_NEAR(results[0][n], results[1][n], 1e-13 * largest) << elements << " elements, n = " << n;
        EXPECT_NEAR(sums[0].yy, sums[1].yy, 1e-13 * sums[0].yy);
        EXPECT_NEAR(sums[0].yw, sums[1].yw, 1e-12 * sums[0].yy);
      }
    }
}

TEST_P(SchurTest, ReductionEqualsDenseBlocks) {
  for (const Case& c : cases) {
    const DenseSchur dense(c);
    const Index rows = dense.rows;
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> b(static_cast<std::size_t>(2 * c.nx * rows));
    for (double& value : b) value = uniform(random);
    std::vector<double> b_red, b_black;
    for (Index n : dense.red) b_red.push_back(b[n]);
    for (Index n : dense.black) b_black.push_back(b[n]);
    const auto coupled =
        reference::multiply(dense.block(dense.black, dense.red), solve_dense(dense.block(dense.red, dense.red), b_red));
    for (std::size_t n = 0; n < b_black.size(); ++n) b_black[n] -= coupled[n];
    const auto expected = solve_dense(dense.block(dense.black, dense.black), b_black);
    double largest = 0;
    for (double value : expected) largest = std::max(largest, std::abs(value));

    set_up(c, 1);
    const LineBlock& block = schur_->block(0);
    // Rows right and left of a line, with the mirror image beyond the sides.
    const auto row = [&](Index line, bool right, Index k) {
      double sign = 1;
      Index column = right ? 2 * line : 2 * line - 1;
      if (column < 0 || column >= 2 * c.nx) {
        sign = -1;
        column = column < 0 ? -1 - column : 4 * c.nx - 1 - column;
      }
      return sign * b[column * rows + k];
    };
    PartRightHandSide rhs;
    rhs.red.assign(static_cast<std::size_t>((block.groups() + 1) * block.group_size()), 0);
    rhs.black.assign(static_cast<std::size_t>(block.groups() * block.group_size()), 0);
    for (Index lane = 0; lane < lanes; ++lane)
      for (Index g = 0; g <= block.length(lane) && block.length(lane) > 0; ++g)
        for (int color = 0; color < 2; ++color) {
          const Index line = 2 * (block.start(lane) + g) + color;
          if (color == 1 && (g == block.length(lane) || line > c.nx)) continue;
          if (line > c.nx + 1) continue;
          auto& target = color == 0 ? rhs.red : rhs.black;
          for (Index k = 0; k < rows; ++k) {
            const double right = row(line, true, k), left = row(line, false, k);
            const Index at = g * block.group_size() + 2 * block.stored(k) * lanes + lane;
            target[at] = (right + left) / 2;
            target[at + lanes] = (right - left) / 2;
          }
        }
    Vector<double> reduced(schur_->space());
    schur_->reduce({rhs}, reduced);
    double unused = 0;
    const auto got = get(dense, reduced, unused);
    EXPECT_EQ(unused, 0);
    for (std::size_t n = 0; n < got.size(); ++n)
      ASSERT_NEAR(got[n], expected[n], 1e-12 * largest) << "nx = " << c.nx << ", n = " << n;
  }
}

// Products in launches, with their sums left on the device, give the bits of those that the host waits for.
TEST_P(SchurTest, IteratesOnTheDeviceAsOnTheHost) {
  for (const Case& c : {Case{10, uniform_nodes(30), {1, 1, 0, -1}}, Case{33, uniform_nodes(9), {1, 0.3, 2, -1}}})
    for (const ProductMethod method : {ProductMethod::automatic, ProductMethod::chunked}) {
      set_up(c, 1, method);
      for (const SumMessages messages : {SumMessages::separate, SumMessages::fused}) {
        std::vector<SolveReport> reports;
        std::vector<std::vector<double>> solutions;
        for (const Scalars scalars : {Scalars::on_host, Scalars::on_device}) {
          Vector<double> b(schur_->space()), x(schur_->space());
          std::vector<double> values(static_cast<std::size_t>(b.part(0).size()), 0.0);
          for (Index pair = 0; 2 * pair + 1 < schur_->block(0).end_line; ++pair)
            for (Index k = 0; k < 2 * schur_->block(0).rows; ++k)
              values[schur_->block(0).offset(pair) + k * lanes] = std::sin(static_cast<double>(7 * pair + k));
          b.assign(0, values);
          const auto solver =
              make_bicgstab<double>(schur_->space(), {.tolerance = 1e-10, .scalars = scalars, .sums = messages});
          solver->begin(*schur_, nullptr, b, x);
          EXPECT_TRUE(solver->iterate(1000));
          reports.push_back(solver->report());
          solutions.push_back(x.to_host(0));
        }
        EXPECT_TRUE(reports[0].converged());
        EXPECT_EQ(reports[0].history, reports[1].history);
        EXPECT_EQ(solutions[0], solutions[1]);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, SchurTest, every_executor(), executor_name);
INSTANTIATE_TEST_SUITE_P(Executors, SchurProductTest, every_executor(), executor_name);

TEST(LineMatrices, RecurrencesForgetAfterTheWarmUp) {
  // The decay of the factors themselves, multiplied out over every window.
  for (const double c : {1.0, 100.0, 0.01}) {
    const auto k = line_coefficients({1, c, 0, -1}, 1.0 / 64, Axis(uniform_nodes(64)));
    const Index m = warm_up_elements(k);
    ASSERT_GE(m, 1);
    ASSERT_LE(m, 64);
    for (Index first = 0; first + m <= 64 && m < 64; ++first)
      for (const int f : {16, 24}) {
        double forward = 1, backward = 1;
        for (Index e = first; e < first + m; ++e) {
          const double* row = k.data() + 32 * e + f;
          forward *= row[1] - row[2] * row[0];
          backward *= row[5] - row[4] * row[7];
        }
        EXPECT_LT(std::abs(forward), 1e-21) << c;
        EXPECT_LT(std::abs(backward), 1e-21) << c;
      }
  }
  EXPECT_LT(warm_up_elements(line_coefficients({1, 1, 0, -1}, 1.0 / 64, Axis(uniform_nodes(64)))), 32);
}

TEST(LineMatrices, RefuseVanishingPivots) {
  // eta such that the first entry of A2 vanishes: a S2 / hx^2 K0 + S0 (c K2 + eta K0) = 0 in its first pivot.
  const Axis y(uniform_nodes(2));
  const double hx = 0.5;
  const auto pivot = [&](double eta) { return line_matrix_row({1, 1, 0, eta}, hx, y, 2, 0)[1]; };
  const double eta = -pivot(0) / (pivot(1) - pivot(0));
  EXPECT_THROW(line_coefficients({1, 1, 0, eta}, hx, y), NumericalError);
  EXPECT_NO_THROW(line_coefficients({1, 1, 0, -1}, hx, y));
}

}  // namespace
}  // namespace halocline::collocation
