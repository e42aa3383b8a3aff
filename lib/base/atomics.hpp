// Atomic operations on integers in kernel bodies, on the host and on GPUs, and counting of bits. There are none on
// floating-point numbers: what they add depends on who comes first.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

// Sixty-four marks.
using Bits = unsigned long long;

// *place += value; returns what was there before. No other memory is ordered by it.
HALOCLINE_HD inline Index atomic_add(Index* place, Index value) {
#if defined(__CUDA_ARCH__)
  return static_cast<Index>(atomicAdd(reinterpret_cast<Bits*>(place), static_cast<Bits>(value)));
#else
  return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
#endif
}
HALOCLINE_HD inline LocalIndex atomic_add(LocalIndex* place, LocalIndex value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(place, value);
#else
  return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
#endif
}

// *place = value, where several may set the same value at the same time.
HALOCLINE_HD inline void atomic_set(LocalIndex* place, LocalIndex value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile LocalIndex*>(place) = value;
#else
  __atomic_store_n(place, value, __ATOMIC_RELAXED);
#endif
}

HALOCLINE_HD inline void atomic_set(Index* place, Index value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile Index*>(place) = value;
#else
  __atomic_store_n(place, value, __ATOMIC_RELAXED);
#endif
}

// *place, which others may set at the same time.
HALOCLINE_HD inline Index atomic_get(const Index* place) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile Index*>(place);
#else
  return __atomic_load_n(place, __ATOMIC_RELAXED);
#endif
}

// *place |= bits. Reads first: marks that are set already, as most are, cost no atomic operation.
HALOCLINE_HD inline void atomic_or(Bits* place, Bits bits) {
#if defined(__CUDA_ARCH__)
  if ((*static_cast<volatile const Bits*>(place) & bits) != bits) atomicOr(place, bits);
#else
  if ((__atomic_load_n(place, __ATOMIC_RELAXED) & bits) != bits) __atomic_fetch_or(place, bits, __ATOMIC_RELAXED);
#endif
}

HALOCLINE_HD inline int count_bits(Bits bits) {
#if defined(__CUDA_ARCH__)
  return __popcll(bits);
#else
  return __builtin_popcountll(bits);
#endif
}

}  // namespace halocline
