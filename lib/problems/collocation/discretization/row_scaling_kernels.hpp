// Bodies for gpu/launch.hpp: powers of two by which equations are divided.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/problems/collocation/discretization/equation_kernels.hpp"

namespace halocline::collocation {

constexpr int most_exponent = 1000;
constexpr int exponent_of_zero = -1000000;

HALOCLINE_HD inline int exponent_of(double value) {
  return value != 0 && value - value == 0 ? ::ilogb(value) : exponent_of_zero;
}

// Own lines x numbers of a component. x, y: exponents of the largest entries of the rows of every node,
// [node][q][order].
struct ScaleRows {
  EquationView<double> equations;
  const int *x, *y;
  std::int16_t* exponents;
  double* sampled;

  HALOCLINE_HD void operator()(Index i, Index n) const {
    const NodalBlock& block = equations.block;
    const Index line = block.first_line + i, j = n - NodalBlock::margin, size = block.line_size();
    for (int c = 0; c < 4; ++c) {
      const Index at = c * block.stride() + n;
      const bool there = j >= 0 && j < block.nodes() && equations.exists(line, j, c);
      double k[6] = {0, 0, 0, 0, 0, 0};
      int largest = 0;
      if (there) {
        for (int m = 0; m < 6; ++m) k[m] = equations.coefficient(m, i, c, j);
        largest = exponent(k, x + 6 * line + 3 * (c % 2), y + 6 * j + 3 * (c / 2));
      }
      exponents[i * size + at] = static_cast<std::int16_t>(largest);
      for (int m = 0; m < 6; ++m) sampled[(6 * i + m) * size + at] = ::ldexp(k[m], -largest);
    }
  }

 private:
  HALOCLINE_HD static int exponent(const double (&k)[6], const int* x_rows, const int* y_rows) {
    constexpr int px[6] = {2, 1, 0, 1, 0, 0}, py[6] = {0, 1, 2, 0, 1, 0};
    int largest = exponent_of_zero;
    for (int m = 0; m < 6; ++m) {
      const int entry = exponent_of(k[m]) + x_rows[px[m]] + y_rows[py[m]];
      largest = largest < entry ? entry : largest;
    }
    if (largest < exponent_of_zero / 2) return 0;
    if (largest < -most_exponent) return -most_exponent;
    return largest > most_exponent ? most_exponent : largest;
  }
};

// exponents null: `exponent` for all.
struct DivideByPowers {
  const std::int16_t* exponents;
  int exponent;
  double* b;
  HALOCLINE_HD void operator()(Index n) const { b[n] = ::ldexp(b[n], -(exponents ? exponents[n] : exponent)); }
};

}  // namespace halocline::collocation
