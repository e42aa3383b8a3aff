// Tables of blocks: histories of one number summed with them against direct sums, and relaxation.
#include "lib/problems/fractional/history/blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/fractional/weights/mittag_leffler.hpp"
#include "tests/unit/fractional/history/scalar_history.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::fractional {
namespace {

std::shared_ptr<const Levels> levels_of(const MeshOptions& options) {
  const TimeChange same{[](double t) { return t; }, [](double) { return 1.0; }};
  return std::make_shared<const Levels>(options, same);
}

std::vector<Derivative> derivatives() {
  std::vector<Derivative> all;
  for (const Scheme scheme : {Scheme::l1, Scheme::alikhanov}) {
    all.push_back({scheme, {{{0.6, 1.0}}}, {}, 1});
    all.push_back({scheme, {{{1, 1.0}, {0.5, 0.4}, {0.2, 0.1}}}, {}, 1});
    all.push_back({scheme, {{{0.9, 1.0}}, {{0.4, 2.0}, {1, 0.3}}, {{1, 1.0}}}, {}, 1});
    all.push_back({scheme, {{{1, 1.0}}}, [](double t) { return 0.4 + 0.5 * t; }, 1});
  }
  return all;
}

// The history of random increments by direct sums.
class DirectSums {
 public:
  DirectSums(const Weights& weights, int medium)
      : weights_(weights),
        medium_(medium),
        increments_(random_numbers(static_cast<std::size_t>(weights.levels().steps()), 3)) {
    for (Index l = 1; l <= weights.levels().steps(); ++l) {
      std::vector<double> row(static_cast<std::size_t>(l));
      weights.row(l, medium, 1, row);
      long double sum = 0, size = 0;
      for (std::size_t m = 0; m + 1 < row.size(); ++m) {
        sum += static_cast<long double>(row[m]) * increments_[m];
        size += std::abs(static_cast<long double>(row[m]) * increments_[m]);
      }
      sums_.push_back(sum);
      sizes_.push_back(size);
      local_.push_back(row.back());
    }
  }

  // The largest error of the history by tables, relative to sum A |delta|.
  double worst_error(const HistoryKernel* kernel, int slots) const {
    ScalarHistory history(weights_, kernel, slots, medium_);
    double worst = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Index l = static_cast<Index>(i) + 1;
      const double value = history.sum(l);
      EXPECT_EQ(history.local(l), local_[i]);
      if (sizes_[i] > 0)
        worst = std::max(worst, static_cast<double>(std::abs(value - sums_[i]) / sizes_[i]));
      else
        EXPECT_EQ(value, 0);
      history.push(l, increments_[i]);
    }
    return worst;
  }

 private:
  const Weights& weights_;
  int medium_;
  std::vector<double> increments_, local_;
  std::vector<long double> sums_, sizes_;
};

const MeshOptions meshes[] = {{Mesh::uniform_t, 1, 150, 1, 64}, {Mesh::graded_start, 1, 140, 4, 30}};

TEST(Blocks, GiveTheHistory) {
  for (const MeshOptions& mesh : meshes)
    for (const Derivative& derivative : derivatives()) {
      const Weights weights(levels_of(mesh), derivative);
      std::vector<DirectSums> direct;
      for (int medium = 0; medium < weights.media(); ++medium) direct.emplace_back(weights, medium);
      for (const int slots : {1, 3, 4, 16, 64}) {
        const HistoryKernel kernel(weights, slots, 1, 1e-9);
        EXPECT_LE(kernel.error(), 1e-9);
        for (const DirectSums& of_medium : direct)
          EXPECT_LE(of_medium.worst_error(&kernel, slots), 1e-9) << slots << " slots";
        EXPECT_LE(direct[0].worst_error(nullptr, slots), 1e-14) << slots << " slots, all stored";
      }
    }
  const Weights in_time(levels_of(meshes[0]), {Scheme::l1_t, {{{0.6, 1.0}}}, {}, 0.8});
  EXPECT_LE(DirectSums(in_time, 0).worst_error(nullptr, 16), 1e-14);
}

TEST(Blocks, ErrorFollowsEps) {
  const Weights weights(levels_of(meshes[0]), derivatives()[4]);
  const DirectSums direct(weights, 0);
  double last = 1;
  for (const double eps : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const HistoryKernel kernel(weights, 16, 1, eps);
    const double error = direct.worst_error(&kernel, 16);
    EXPECT_LE(error, eps);
    EXPECT_LT(error, 0.1 * last);
    last = error;
  }
}

// Direct tables in pieces are direct tables.
TEST(Blocks, DirectTablesInPieces) {
  const Weights weights(levels_of(meshes[1]), derivatives()[6]);
  const std::vector<double> all = direct_far(weights, 128, 16, 1, 128), piece = direct_far(weights, 128, 16, 60, 5);
  for (std::size_t medium = 0; medium < 3; ++medium)
    for (std::size_t i = 0; i < 5 * 16; ++i) EXPECT_EQ(piece[medium * 80 + i], all[(medium * 128 + 59) * 16 + i]);
  // Levels beyond the last have no row.
  EXPECT_GT(piece[11], 0);
  EXPECT_EQ(piece[12], 0);
}

TEST(Blocks, TablesRepeatOnEqualSteps) {
  for (const Derivative& derivative : derivatives()) {
    const Weights weights(levels_of(meshes[1]), derivative);
    const HistoryKernel kernel(weights, 8, 1, 1e-9);
    int repeated = 0;
    for (Index start = 8; start < 140; start += 8) {
      if (!repeats(weights, start, 8)) continue;
      ++repeated;
      const NearTables near = near_tables(weights, start, 8), near_before = near_tables(weights, start - 8, 8);
      EXPECT_EQ(near.near, near_before.near);
      EXPECT_EQ(near.first, near_before.first);
      EXPECT_EQ(near.theta, near_before.theta);
      const FarTables far = far_tables(weights, kernel, start, 8),
                      far_before = far_tables(weights, kernel, start - 8, 8);
      EXPECT_EQ(far.decay, far_before.decay);
      EXPECT_EQ(far.from_first, far_before.from_first);
      EXPECT_EQ(far.into, far_before.into);
      EXPECT_EQ(far.out, far_before.out);
    }
    EXPECT_EQ(repeated, derivative.order ? 0 : 11);
  }
}

// Scaled states give far values with factors of at most 1.
TEST(Blocks, ScaledStates) {
  const Weights weights(levels_of(meshes[0]), derivatives()[4]);
  const HistoryKernel kernel(weights, 16, 1, 1e-9);
  const FarTables far = far_tables(weights, kernel, 32, 16);
  for (std::size_t k = 0; k < far.decay.size(); ++k) {
    EXPECT_EQ(far.out[k * 16], 1);
    for (std::size_t j = 1; j < 16; ++j) EXPECT_LE(far.out[k * 16 + j], far.out[k * 16 + j - 1]);
  }
}

struct Relaxed {
  int terms;
  double errors[3];  // at 0.01, 0.1 and all of the steps
};

// D^order u = -u, u(0) = 1.
Relaxed relax(Scheme scheme, double order, const MeshOptions& mesh, int slots) {
  const auto levels = levels_of(mesh);
  const Weights weights(levels, {scheme, {{{order, 1.0}}}, {}, 1});
  const HistoryKernel kernel(weights, slots, mesh.end, 1e-9);
  ScalarHistory history(weights, &kernel, slots, 0);
  Relaxed result{kernel.terms(), {}};
  const Index checks[] = {100, 10, 1};
  double u = 1;
  for (Index l = 1; l <= mesh.steps; ++l) {
    const double sum = history.sum(l);
    const double increment = -(sum + u) / (history.local(l) + 1 - weights.theta(l, 0));
    history.push(l, increment);
    u += increment;
    for (int i = 0; i < 3; ++i)
      if (l * checks[i] == mesh.steps)
        result.errors[i] = std::abs(u - mittag_leffler(order, std::pow(levels->s(l), order)));
  }
  return result;
}

TEST(Blocks, RelaxationByAlikhanov) {
  struct Row {
    double order;
    MeshOptions mesh;
    Relaxed expected;
  };
  const Row rows[] = {{0.5, {Mesh::uniform_t, 1, 2000, 1, 64}, {27, {4.7e-4, 1.0e-4, 1.3e-5}}},
                      {0.5, {Mesh::graded_start, 1, 2000, 4, 64}, {36, {4.3e-6, 3.2e-7, 3.2e-8}}},
                      {0.5, {Mesh::uniform_t, 100, 100000, 1, 64}, {35, {2.7e-5, 1.5e-6, 5.4e-8}}},
                      {0.5, {Mesh::graded_start, 100, 100000, 4, 64}, {45, {4.2e-8, 2.7e-9, 8.8e-11}}},
                      {0.5, {Mesh::uniform_t, 1000, 1000000, 1, 64}, {41, {1.5e-6, 5.4e-8, 1.7e-9}}},
                      {0.5, {Mesh::graded_start, 1000, 1000000, 4, 64}, {51, {2.7e-9, 8.8e-11, 9.7e-12}}},
                      {0.8, {Mesh::uniform_t, 100, 100000, 1, 64}, {38, {1.9e-5, 3.1e-7, 3.4e-9}}},
                      {0.8, {Mesh::graded_start, 100, 100000, 2.5, 64}, {43, {2.6e-7, 4.0e-9, 4.7e-11}}}};
  for (const Row& row : rows) {
    const Relaxed got = relax(Scheme::alikhanov, row.order, row.mesh, 16);
    EXPECT_NEAR(got.terms, row.expected.terms, 1);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(got.errors[i] / row.expected.errors[i], 1, 0.06) << row.order << " " << i;
  }
}

// Graded levels give L1 its order 2 - 0.5.
TEST(Blocks, RelaxationByL1) {
  double last = relax(Scheme::l1, 0.5, {Mesh::graded, 1, 100, 3, 64}, 16).errors[2];
  for (const Index steps : {200, 400, 800}) {
    const double error = relax(Scheme::l1, 0.5, {Mesh::graded, 1, steps, 3, 64}, 16).errors[2];
    EXPECT_NEAR(std::log2(last / error), 1.5, 0.05) << steps;
    last = error;
  }
}

}  // namespace
}  // namespace halocline::fractional
