// fma: a b + c, rounded once where the processor can, for bodies whose bits must not depend on what a compiler fuses.
//
// Compilers fuse products and sums as they like, and differently in two copies of one loop. A body that writes every
// product it adds as an fma, and no other, has the same bits in all its copies: on the host, in vector registers, on a
// GPU. In namespace halocline this hides ::fma of the C library, which processors without the instruction emulate.
#pragma once

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

/// The same in every lane. One number for all lanes comes first: fma(a, p, q), a a number, p and q packs.
template <class T>
HALOCLINE_HD inline Pack<T> fma(const Pack<T>& a, const Pack<T>& b, Pack<T> c) {
  for (int i = 0; i < lanes; ++i) lane_of(c, i) = fma(lane_of(a, i), lane_of(b, i), lane_of(c, i));
  return c;
}
template <class T>
HALOCLINE_HD inline Pack<T> fma(std::type_identity_t<T> a, const Pack<T>& b, Pack<T> c) {
  for (int i = 0; i < lanes; ++i) lane_of(c, i) = fma(a, lane_of(b, i), lane_of(c, i));
  return c;
}

}  // namespace halocline
