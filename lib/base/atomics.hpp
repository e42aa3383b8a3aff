// Atomic operations on integers in kernel bodies, on the host and on GPUs, and counting of bits. Of floating-point
// numbers there is the largest alone: what is added depends on who comes first.
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

// *flag = value, in pinned memory of the host, which sees everything that this thread wrote before.
HALOCLINE_HD inline void set_flag(std::uint64_t* flag, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  __threadfence_system();
  *static_cast<volatile std::uint64_t*>(flag) = value;
#else
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
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

// *place = max(*place, value), where *place holds the bits of a double, and value >= 0: such numbers lie in the order
// of their bits. Reads first: values that are not larger, as most are, cost no atomic operation.
HALOCLINE_HD inline void atomic_raise(Bits* place, double value) {
#if defined(__CUDA_ARCH__)
  const auto bits = static_cast<Bits>(__double_as_longlong(value));
  if (*static_cast<const volatile Bits*>(place) < bits) atomicMax(place, bits);
#else
  const auto bits = __builtin_bit_cast(Bits, value);
  Bits seen = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (seen < bits && !__atomic_compare_exchange_n(place, &seen, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
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
