// Swept values of benchmarks.
#pragma once

#include <cmath>
#include <vector>

namespace halocline {

// `points` values from `low` to `high`.
inline std::vector<double> grid(double low, double high, int points, bool logarithmic) {
  std::vector<double> values;
  for (int i = 0; i < points; ++i) {
    const double x = i / (points - 1.0);
    values.push_back(logarithmic ? low * std::pow(high / low, x) : low + (high - low) * x);
  }
  return values;
}

}  // namespace halocline
