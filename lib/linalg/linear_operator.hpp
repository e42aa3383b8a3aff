// LinearOperator: y = A x on distributed vectors. A preconditioner is one too (y = M^-1 x).
#pragma once

#include <array>

#include "lib/linalg/vector.hpp"

namespace halocline {

class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual void apply(const Vector& x, Vector& y) const = 0;  // collective; x and y differ
  // As apply; returns {(y, y), (y, w)}. Operators that can, fuse the sums with the product.
  virtual std::array<double, 2> apply_with_dots(const Vector& x, Vector& y, const Vector& w) const {
    apply(x, y);
    const auto [yw, yy] = dots(y, w);
    return {yy, yw};
  }
};

}  // namespace halocline
