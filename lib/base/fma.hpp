// fma: a b + c, rounded once where the processor can, for bodies whose bits must not depend on what a compiler fuses.
//
// Compilers fuse products and sums as they like, and differently in two copies of one loop. A body that writes every
// product it adds as an fma, and no other, has the same bits in all its copies: on the host, in vector registers, on a
// GPU. In namespace halocline this hides ::fma of the C library, which processors without the instruction emulate.
#pragma once

#if defined(__FMA__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

#include "lib/base/pack.hpp"
#include "lib/base/types.hpp"

namespace halocline {

/// a b + c; on a host without the instruction rounded twice.
HALOCLINE_HD inline double fma(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#elif defined(__FP_FAST_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
/// The same of floats.
HALOCLINE_HD inline float fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#elif defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

#if defined(__FMA__) && !defined(__CUDA_ARCH__)
/// The same of registers.
inline Pack<double>::Register fma(Pack<double>::Register a, Pack<double>::Register b, Pack<double>::Register c) {
  return (Pack<double>::Register)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
inline Pack<float>::Register fma(Pack<float>::Register a, Pack<float>::Register b, Pack<float>::Register c) {
  return (Pack<float>::Register)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
#endif

/// The same in every lane. One number for all lanes comes first: fma(a, p, q), a a number, p and q packs.
template <class T>
HALOCLINE_HD inline Pack<T> fma(const Pack<T>& a, const Pack<T>& b, Pack<T> c) {
#if defined(__FMA__) && !defined(__CUDA_ARCH__)
  for (int i = 0; i < Pack<T>::registers; ++i) c.r[i] = fma(a.r[i], b.r[i], c.r[i]);
#else
  for (int i = 0; i < lanes; ++i) lane_of(c, i) = fma(lane_of(a, i), lane_of(b, i), lane_of(c, i));
#endif
  return c;
}
template <class T>
HALOCLINE_HD inline Pack<T> fma(std::type_identity_t<T> a, const Pack<T>& b, Pack<T> c) {
#if defined(__FMA__) && !defined(__CUDA_ARCH__)
  for (int i = 0; i < Pack<T>::registers; ++i) c.r[i] = fma(a - typename Pack<T>::Register{}, b.r[i], c.r[i]);
#else
  for (int i = 0; i < lanes; ++i) lane_of(c, i) = fma(a, lane_of(b, i), lane_of(c, i));
#endif
  return c;
}

}  // namespace halocline
