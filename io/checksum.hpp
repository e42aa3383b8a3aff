// A checksum of arrays that does not depend on how they are cut: every value is hashed with its position (the finalizer
// of MurmurHash3), and the hashes are added modulo 2^64.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "lib/base/types.hpp"

namespace halocline {

// Of values first, first + 1, ... of an array of 8-byte values.
template <class T>
std::uint64_t checksum(std::span<const T> values, Index first) {
  static_assert(sizeof(T) == 8);
  std::uint64_t sum = 0;
  auto position = static_cast<std::uint64_t>(first) + 1;
  for (const T& value : values) {
    std::uint64_t hash;
    std::memcpy(&hash, &value, 8);
    hash ^= position++ * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    sum += hash ^ (hash >> 33);
  }
  return sum;
}

}  // namespace halocline
