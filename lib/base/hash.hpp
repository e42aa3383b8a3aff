// mix64, u01: numbers that look random and depend on a key alone, the same on every device, rank and partition.
#pragma once

#include <cstdint>

#include "lib/base/types.hpp"

namespace halocline {

/// A permutation of the 64-bit numbers whose values look random: the finalizer of splitmix64 (Steele, Lea, Flood, Fast
/// splittable pseudorandom number generators, OOPSLA 2014).
HALOCLINE_HD constexpr std::uint64_t mix64(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// A number in [0, 1) from the upper 53 bits of mix64(key).
HALOCLINE_HD constexpr double u01(std::uint64_t key) { return static_cast<double>(mix64(key) >> 11) * 0x1p-53; }

}  // namespace halocline
