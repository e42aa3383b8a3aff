// VectorRegister: one vector register of `Bytes` bytes with the arithmetic of a number, so that update() runs on
// neighboring cells of a row at once. Rounded as for a number, lane by lane.
//
// Every width is a type of its own: sources compiled for other processors share no code with the rest of the program.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "lib/base/fma.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

template <class T, int Bytes>
struct VectorRegister {
  typedef T Register __attribute__((vector_size(Bytes)));  // NOLINT: an alias drops the attribute
  static constexpr int count = Bytes / static_cast<int>(sizeof(T));
  Register r;
  VectorRegister() = default;
  VectorRegister(T value) : r(value - Register{}) {}
  static VectorRegister of(const Register& value) {
    VectorRegister v;
    v.r = value;
    return v;
  }
  static VectorRegister load(const T* from) {
    VectorRegister v;
    __builtin_memcpy(&v.r, from, sizeof(Register));
#if defined(__AVX__)
    asm("" : "+v"(v.r));  // in a register from now on: g++ 12 would read values that are used twice again
#endif
    return v;
  }
  void store(T* to) const { __builtin_memcpy(to, &r, sizeof(Register)); }
  friend VectorRegister operator+(VectorRegister a, VectorRegister b) { return of(a.r + b.r); }
  friend VectorRegister operator-(VectorRegister a, VectorRegister b) { return of(a.r - b.r); }
  friend VectorRegister operator-(VectorRegister a) { return of(-a.r); }
};

// As fma of numbers, which it stands beside: rounded once where the processor can.
using halocline::fma;
template <class T, int Bytes>
inline VectorRegister<T, Bytes> fma(VectorRegister<T, Bytes> a, VectorRegister<T, Bytes> b,
                                    VectorRegister<T, Bytes> c) {
  using L = VectorRegister<T, Bytes>;
#if defined(__AVX512F__)
  if constexpr (Bytes == 64 && sizeof(T) == 8) return L::of((typename L::Register)_mm512_fmadd_pd(a.r, b.r, c.r));
  if constexpr (Bytes == 64 && sizeof(T) == 4) return L::of((typename L::Register)_mm512_fmadd_ps(a.r, b.r, c.r));
#endif
#if defined(__FMA__)
  if constexpr (Bytes == 32 && sizeof(T) == 8) return L::of((typename L::Register)_mm256_fmadd_pd(a.r, b.r, c.r));
  if constexpr (Bytes == 32 && sizeof(T) == 4) return L::of((typename L::Register)_mm256_fmadd_ps(a.r, b.r, c.r));
#endif
  L result;
  for (int i = 0; i < L::count; ++i) result.r[i] = fma(a.r[i], b.r[i], c.r[i]);
  return result;
}

// Writes past the caches: for results that are not read again soon. `to` is aligned to the register.
template <class T, int Bytes>
inline void store_past_caches(T* to, VectorRegister<T, Bytes> v) {
#if defined(__AVX512F__)
  if constexpr (Bytes == 64) return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v.r);
#endif
#if defined(__AVX__)
  if constexpr (Bytes == 32) return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v.r);
#endif
  v.store(to);
}

}  // namespace halocline::diffusion
