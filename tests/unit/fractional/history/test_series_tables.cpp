// The truncated series against the sums it stands for: what it lacks is known.
#include "lib/problems/fractional/history/series_tables.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/fractional/weights/t_weights.hpp"

namespace halocline::fractional {
namespace {

constexpr double order = 0.8, power = 0.8, step = 0.0025;

// The increments of t^2.
double increment(Index m) { return step * step * static_cast<double>(2 * m - 1); }

// 1 - H by series / H by all weights at these steps, ascending.
std::vector<double> deficits(int terms, const std::vector<Index>& steps) {
  std::vector<double> states(static_cast<std::size_t>(terms), 0.0), found;
  for (Index l = 2; l <= steps.back(); ++l) {
    const SeriesTables tables = series_tables({order, power, terms, step}, l);
    double sum = 0;
    for (std::size_t n = 0; n < states.size(); ++n) {
      states[n] = tables.decay[n] * states[n] + tables.into[n] * increment(l - 1);
      sum += tables.out[n] * states[n];
    }
    if (l != steps[found.size()]) continue;
    std::vector<double> weights(static_cast<std::size_t>(l - 1));
    t_linear_weights(order, power, step, l, 1, weights);
    double whole = 0;
    for (Index m = 1; m < l; ++m) whole += weights[static_cast<std::size_t>(m - 1)] * increment(m);
    found.push_back(1 - tables.scale * sum / whole);
  }
  return found;
}

TEST(SeriesTables, LackWhatIsKnown) {
  const std::vector<Index> steps{10, 20, 50, 100, 200, 500, 1000, 2000};
  const std::vector<std::pair<int, std::vector<double>>> rows{
      {16, {4.45e-2, 1.14e-1, 2.19e-1, 2.90e-1, 3.49e-1, 4.10e-1, 4.46e-1, 4.74e-1}},
      {32, {6.26e-3, 3.44e-2, 1.08e-1, 1.73e-1, 2.34e-1, 3.01e-1, 3.41e-1, 3.74e-1}},
      {64, {2.11e-4, 4.96e-3, 3.80e-2, 8.45e-2, 1.38e-1, 2.05e-1, 2.48e-1, 2.84e-1}}};
  for (const auto& [terms, expected] : rows) {
    const std::vector<double> got = deficits(terms, steps);
    for (std::size_t i = 0; i < steps.size(); ++i)
      EXPECT_NEAR(got[i] / expected[i], 1, 0.005) << terms << " " << steps[i];
  }
}

TEST(SeriesTables, ConvergeToAllWeights) {
  EXPECT_NEAR(deficits(400, {10})[0], 0, 1e-13);
  EXPECT_NEAR(deficits(20, {2})[0], 0, 1e-5);
}

TEST(SeriesTables, DeficitOfTheKernel) {
  EXPECT_NEAR(series_deficit({order, power, 400, step}, 10), 0, 1e-13);
  // Order 1/2, one term: I_y(1, 1/2) = 1 - sqrt(1 - y).
  EXPECT_NEAR(series_deficit({0.5, 2, 1, step}, 10), 1 - std::sqrt(1 - 0.81), 1e-15);
  // Two terms: I_y(2, 1/2) = 1 - sqrt(1 - y) (1 + y/2).
  EXPECT_NEAR(series_deficit({0.5, 1, 2, step}, 10), 1 - std::sqrt(0.1) * 1.45, 1e-15);
}

}  // namespace
}  // namespace halocline::fractional
