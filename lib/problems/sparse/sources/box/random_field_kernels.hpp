// RandomField: factors of a random medium, pure functions of the place.
#pragma once

#include <cmath>

#include "lib/base/hash.hpp"

namespace halocline::sparse {

struct RandomField {
  enum class Kind { none, jump, lognormal };

  Kind kind = Kind::none;
  double decades = 0;
  double high = 1;  // 10^decades
  Index block = 1;  // jump: unknowns along the edge of a cube
  std::uint64_t seed = 0;

  // At the unknown (i, j, k). jump: 1 or 10^decades, each with probability 1/2, the same on a cube; lognormal:
  // 10^(decades g/3), g a sum of twelve uniform numbers, nearly normal.
  HALOCLINE_HD double operator()(Index i, Index j, Index k) const {
    if (kind == Kind::none) return 1;
    if (kind == Kind::jump) return u01(31 * number(i / block, j / block, k / block) + 7 + seed) < 0.5 ? 1.0 : high;
    const std::uint64_t q = number(i, j, k);
    double sum = 0;
    for (std::uint64_t t = 0; t < 12; ++t) sum += u01(12 * q + t + 99 + seed);
    return ::pow(10.0, decades * (sum - 6) / 3);
  }

 private:
  HALOCLINE_HD static std::uint64_t number(Index i, Index j, Index k) {
    return static_cast<std::uint64_t>(i + 4096 * j + 4096 * 4096 * k);
  }
};

}  // namespace halocline::sparse
