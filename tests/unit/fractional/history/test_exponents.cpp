// Sums of exponentials against the kernels they stand for, and their number.
#include "lib/problems/fractional/history/exponents.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "lib/problems/fractional/history/history_kernel.hpp"

namespace halocline::fractional {
namespace {

// s^-order alone.
Medium power(double order) { return {{order, std::tgamma(1 - order)}}; }

TEST(Exponents, UnitPairs) {
  const ExponentialSum sum = exponential_sum(power(0.5), {1e-3, 1, 1e-6});
  ASSERT_EQ(sum.rates.size(), 18U);
  const double rates[] = {4.9588204452e-02, 4.0585866530e-01, 9.8332932276e-01};
  const double weights[] = {4.9641797808e-01, 4.3055090998e-01, 3.8937621769e-01};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(sum.rates[k] / rates[k], 1, 1e-7);
    EXPECT_NEAR(sum.weights[k] / weights[k], 1, 1e-7);
  }
  EXPECT_NEAR(sum.rates[17] / 1.3650227553e+04, 1, 1e-9);
  EXPECT_NEAR(sum.weights[17] / 4.1841731204e+01, 1, 1e-9);
}

TEST(Exponents, KeepTheirErrorForAnyMedium) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int sample = 0; sample < 200; ++sample) {
    Medium medium;
    for (int i = 0; i <= sample % 3; ++i) {
      const double order = 0.01 + 0.98 * uniform(generator), coefficient = std::exp(6 * uniform(generator) - 3);
      medium.push_back({sample % 7 == 0 ? 1e-6 : sample % 7 == 1 ? 1 - 1e-6 : order, coefficient});
    }
    if (sample % 5 == 0) medium.push_back({1, 1.0});
    const double longest = std::exp(20 * uniform(generator) - 10);
    const KernelRange range{longest * std::pow(10, -10 * uniform(generator)), longest,
                            std::pow(10, -1 - 13 * uniform(generator))};
    const ExponentialSum sum = exponential_sum(medium, range);
    EXPECT_LE(measured_error(sum, medium, range), range.eps)
        << medium[0].order << ", " << range.longest / range.shortest << ", " << range.eps;
    for (std::size_t k = 0; k < sum.rates.size(); ++k) {
      EXPECT_GE(sum.rates[k], 0);
      EXPECT_GE(sum.weights[k], 0);
    }
  }
  EXPECT_TRUE(exponential_sum({{1, 2.0}}, {1e-3, 1, 1e-6}).rates.empty());
}

std::shared_ptr<const Levels> levels_of(Mesh mesh, Index steps, double grading, std::function<double(double)> psi) {
  return std::make_shared<const Levels>(MeshOptions{mesh, 1, steps, grading, 64}, TimeChange{std::move(psi), {}});
}

struct Row {
  std::shared_ptr<const Levels> levels;
  std::array<std::array<int, 4>, 3> terms;  // for orders .2, .5, .8 and eps 1e-3, 1e-6, 1e-9, 1e-12
};

TEST(Exponents, NumberByMesh) {
  const auto same = [](double t) { return t; };
  const auto uniform = [&](Index steps) { return levels_of(Mesh::uniform_t, steps, 1, same); };
  const std::vector<Row> rows{
      {uniform(200), {{{7, 13, 20, 26}, {9, 14, 21, 28}, {9, 15, 23, 29}}}},
      {uniform(2000), {{{9, 16, 24, 32}, {11, 18, 27, 34}, {12, 19, 28, 36}}}},
      {uniform(100000), {{{12, 22, 33, 43}, {14, 24, 36, 46}, {16, 26, 38, 48}}}},
      {uniform(1000000), {{{14, 25, 38, 50}, {16, 28, 41, 53}, {18, 30, 43, 56}}}},
      {levels_of(Mesh::uniform_t, 100000, 1, [](double t) { return std::sqrt(t); }),
       {{{12, 23, 34, 45}, {15, 25, 37, 48}, {16, 27, 39, 51}}}},
      {levels_of(Mesh::uniform_t, 100000, 1, [](double t) { return t * t; }),
       {{{18, 33, 50, 66}, {21, 37, 54, 70}, {23, 40, 57, 74}}}},
      {levels_of(Mesh::uniform_t, 100000, 1, [](double t) { return std::log(1 + 10 * t); }),
       {{{13, 23, 35, 46}, {15, 26, 38, 49}, {16, 28, 40, 51}}}},
      {levels_of(Mesh::graded, 2000, 4, same), {{{19, 35, 52, 69}, {22, 39, 56, 73}, {24, 42, 60, 77}}}}};
  const double orders[] = {0.2, 0.5, 0.8}, eps[] = {1e-3, 1e-6, 1e-9, 1e-12};
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < 3; ++i) {
      const Weights weights(rows[r].levels, {Scheme::alikhanov, {{{orders[i], 1.0}}}, {}, 1});
      const KernelRange range{shortest_distance(weights, 16), rows[r].levels->s(rows[r].levels->steps()), 0};
      for (std::size_t e = 0; e < 4; ++e) {
        const ExponentialSum sum = exponential_sum({{orders[i], 1.0}}, {range.shortest, range.longest, eps[e]});
        EXPECT_NEAR(static_cast<double>(sum.rates.size()), rows[r].terms[i][e], 1)
            << "row " << r << ", " << orders[i] << ", " << eps[e];
      }
    }
}

TEST(Exponents, CommonToAnInterval) {
  struct Case {
    double smallest, largest, range, eps;
    int terms;
  };
  const Case cases[] = {{0.2, 0.8, 1e3, 1e-6, 23},  {0.2, 0.8, 1e5, 1e-6, 31},  {0.2, 0.8, 1e3, 1e-9, 33},
                        {0.2, 0.8, 1e5, 1e-9, 44},  {0.1, 0.95, 1e3, 1e-9, 33}, {0.1, 0.95, 1e5, 1e-9, 45},
                        {0.01, 0.99, 1e6, 1e-4, 0}, {0.5, 0.5, 1e2, 1e-12, 0}};
  for (const Case& c : cases) {
    const KernelRange range{1 / c.range, 1, c.eps};
    const CommonExponents common(c.smallest, c.largest, range);
    if (c.terms > 0) {
      EXPECT_NEAR(static_cast<double>(common.rates().size()), c.terms, 1) << c.range << " " << c.eps;
    }
    double worst = 0;
    for (int i = 0; i <= 16; ++i) {
      const Medium medium = power(c.smallest + (c.largest - c.smallest) * i / 16);
      worst = std::max(worst, measured_error({common.rates(), common.weights(medium)}, medium, range));
    }
    EXPECT_LE(worst, c.eps);
    // Weights are linear in the medium, and order 1 has none.
    const Medium mixed{{c.smallest, 2.0}, {c.largest, 0.5}, {1, 3.0}};
    EXPECT_LE(measured_error({common.rates(), common.weights(mixed)}, mixed, range), c.eps);
  }
}

TEST(Exponents, KernelOfTheHistory) {
  const auto levels = levels_of(Mesh::uniform_t, 400, 1, [](double t) { return t; });
  const Medium fast{{0.9, 1.0}}, slow{{0.4, 2.0}, {1, 1.0}}, local{{1, 1.0}};
  const Weights of_one(levels, {Scheme::l1, {fast}, {}, 1}), of_none(levels, {Scheme::l1, {local}, {}, 1});
  const HistoryKernel one(of_one, 16, 1, 1e-9);
  EXPECT_TRUE(one.constant());
  EXPECT_LE(one.error(), 1e-9);
  EXPECT_GT(one.error(), 1e-11);
  EXPECT_DOUBLE_EQ(one.shortest(), 1 / 400.0);

  const Weights of_media(levels, {Scheme::alikhanov, {fast, slow, local}, {}, 1});
  const HistoryKernel media(of_media, 16, 1, 1e-9);
  EXPECT_FALSE(media.constant());
  EXPECT_LE(media.error(), 1e-9);
  EXPECT_EQ(media.weights(7, 2), std::vector<double>(static_cast<std::size_t>(media.terms()), 0.0));

  const Weights varying(levels, {Scheme::l1, {{{1, 1.0}}}, [](double t) { return 0.4 + 0.6 * t; }, 1});
  const HistoryKernel in_time(varying, 16, 1, 1e-9);
  EXPECT_LE(in_time.error(), 1e-9);
  for (const Index l : {20, 200}) {
    const Medium medium = varying.terms(l, 0);
    const ExponentialSum sum{in_time.rates(), in_time.weights(l, 0)};
    EXPECT_LE(measured_error(sum, medium, {in_time.shortest(), 1, 1e-9}), 1e-9);
  }
  // Nothing to sum.
  EXPECT_EQ(HistoryKernel(of_none, 16, 1, 1e-9).terms(), 0);
  EXPECT_EQ(HistoryKernel(of_media, 400, 1, 1e-9).terms(), 0);
}

}  // namespace
}  // namespace halocline::fractional
