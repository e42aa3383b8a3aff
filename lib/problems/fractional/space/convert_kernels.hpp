// Numbers and packs of one precision made of those of another: double, float, and Half, which is memory only. Rounded
// to the nearest, the same for a number as for a lane of a pack.
#pragma once

#if defined(__F16C__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

#include <type_traits>
#include <utility>

#include "lib/base/half.hpp"
#include "lib/base/pack.hpp"

namespace halocline::fractional {

/// What numbers of type `Stored` are computed with: halves as floats.
template <class Stored>
using Computed = std::conditional_t<std::is_same_v<Stored, Half>, float, Stored>;

HALOCLINE_HD inline void convert(double from, double& to) { to = from; }
HALOCLINE_HD inline void convert(double from, float& to) { to = static_cast<float>(from); }
HALOCLINE_HD inline void convert(float from, double& to) { to = static_cast<double>(from); }
HALOCLINE_HD inline void convert(float from, float& to) { to = from; }
HALOCLINE_HD inline void convert(Half from, float& to) { to = to_float(from); }
HALOCLINE_HD inline void convert(float from, Half& to) { to = to_half(from); }

/// Of eight lanes, from or to memory aligned to 32 bytes (16 for halves); where the processor has instructions for it,
/// with these, to the same bits.
template <class Stored, class T>
HALOCLINE_HD inline void convert(const Stored* from, Pack<T>& to) {
  for (int i = 0; i < lanes; ++i) convert(from[i], lane_of(to, i));
}
template <class Stored, class T>
HALOCLINE_HD inline void convert(const Pack<T>& from, Stored* to) {
  for (int i = 0; i < lanes; ++i) convert(lane_of(from, i), to[i]);
}
#if defined(__F16C__) && !defined(__CUDA_ARCH__)
inline void convert(const double* from, Pack<double>& to) { to = load<Pack<double>>(from); }
inline void convert(const Pack<double>& from, double* to) { store(to, from); }
inline void convert(const float* from, Pack<float>& to) { to = load<Pack<float>>(from); }
inline void convert(const Pack<float>& from, float* to) { store(to, from); }
inline void convert(const double* from, Pack<float>& to) {
  const __m128 low = _mm256_cvtpd_ps(_mm256_load_pd(from)), high = _mm256_cvtpd_ps(_mm256_load_pd(from + 4));
  to.r[0] = (Pack<float>::Register)_mm256_set_m128(high, low);
}
inline void convert(const float* from, Pack<double>& to) {
  to.r[0] = (Pack<double>::Register)_mm256_cvtps_pd(_mm_load_ps(from));
  to.r[1] = (Pack<double>::Register)_mm256_cvtps_pd(_mm_load_ps(from + 4));
}
inline void convert(const Pack<double>& from, float* to) {
  _mm_store_ps(to, _mm256_cvtpd_ps((__m256d)from.r[0]));
  _mm_store_ps(to + 4, _mm256_cvtpd_ps((__m256d)from.r[1]));
}
inline void convert(const Half* from, Pack<float>& to) {
  to.r[0] = (Pack<float>::Register)_mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}
inline void convert(const Pack<float>& from, Half* to) {
  _mm_store_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph((__m256)from.r[0], _MM_FROUND_TO_NEAREST_INT));
}
#endif

/// load() and store() of memory in another precision than that of P, a number or a pack.
template <class P, class Stored>
HALOCLINE_HD inline P load_as(const Stored* from) {
  P p;
  if constexpr (is_pack<P>) {
    convert(from, p);
  } else {
    convert(*from, p);
  }
  return p;
}
template <class Stored, class P>
HALOCLINE_HD inline void store_as(Stored* to, const P& p) {
  if constexpr (is_pack<P>) {
    convert(p, to);
  } else {
    convert(p, *to);
  }
}

/// The same in the precision of Q: numbers to a number, packs to a pack.
template <class Q, class P>
HALOCLINE_HD inline Q converted(const P& p) {
  if constexpr (std::is_same_v<P, Q>) {
    return p;
  } else if constexpr (is_pack<P>) {
    alignas(32) std::remove_reference_t<decltype(lane_of(std::declval<Q&>(), 0))> numbers[lanes];
    convert(p, numbers);
    return load<Q>(numbers);
  } else {
    return static_cast<Q>(p);
  }
}

}  // namespace halocline::fractional
