// Reproducible data for tests.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace halocline {

// Uniform in [-1, 1).
inline std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(generator);
  return values;
}

}  // namespace halocline
