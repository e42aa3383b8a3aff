// KeptResults: what cycles in fp32 gave, for methods that need it once more, in half the memory.
#pragma once

#include <span>
#include <vector>

#include "lib/amg/ends.hpp"

namespace halocline::amg {

class KeptResults {
 public:
  explicit KeptResults(EndsPtr ends) : ends_(std::move(ends)) {}

  // `y`: what a cycle in fp32 gave, `scale` the power of two it was scaled by. Slots are used from 0 on.
  void keep(int slot, double scale, const Vector<double>& y);
  // x += c_0 y_0 + c_1 y_1 + ..., every y_j the same to the bit as it was given.
  void add(std::span<const double> coefficients, Vector<double>& x) const;

 private:
  EndsPtr ends_;
  std::vector<Vector<float>> results_;
  std::vector<double> scales_;
};

}  // namespace halocline::amg
