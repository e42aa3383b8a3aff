// Eight rows of eight values to eight columns, in registers of the host.
#pragma once

#if defined(__AVX__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

#include "lib/base/pack.hpp"

namespace halocline::strips {

#if defined(__AVX__) && !defined(__CUDA_ARCH__)

// Four by four: rows a, b, c, d of one half of eight columns.
inline void transpose_four(Pack<double>* rows, int half, __m256d* columns) {
  const __m256d a = reinterpret_cast<__m256d>(rows[0].r[half]), b = reinterpret_cast<__m256d>(rows[1].r[half]);
  const __m256d c = reinterpret_cast<__m256d>(rows[2].r[half]), d = reinterpret_cast<__m256d>(rows[3].r[half]);
  const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
  const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
  columns[0] = _mm256_permute2f128_pd(ab_even, cd_even, 0x20);
  columns[1] = _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20);
  columns[2] = _mm256_permute2f128_pd(ab_even, cd_even, 0x31);
  columns[3] = _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31);
}
inline void transpose(Pack<double>* p) {
  __m256d columns[2][8];  // [half of the rows][column]
  for (int half = 0; half < 2; ++half) {
    transpose_four(p, half, columns[0] + 4 * half);
    transpose_four(p + 4, half, columns[1] + 4 * half);
  }
  for (int i = 0; i < lanes; ++i)
    for (int half = 0; half < 2; ++half) p[i].r[half] = reinterpret_cast<Pack<double>::Register>(columns[half][i]);
}
inline void transpose(Pack<float>* p) {
  __m256 pairs[8], fours[8];
  for (int i = 0; i < 8; i += 2) {
    const __m256 a = reinterpret_cast<__m256>(p[i].r[0]), b = reinterpret_cast<__m256>(p[i + 1].r[0]);
    pairs[i] = _mm256_unpacklo_ps(a, b);
    pairs[i + 1] = _mm256_unpackhi_ps(a, b);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; ++k) {
      fours[i + 2 * k] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0x44);
      fours[i + 2 * k + 1] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0xee);
    }
  for (int i = 0; i < 4; ++i) {
    p[i].r[0] = reinterpret_cast<Pack<float>::Register>(_mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20));
    p[i + 4].r[0] = reinterpret_cast<Pack<float>::Register>(_mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31));
  }
}

#else

template <class T>
HALOCLINE_HD inline void transpose(Pack<T>* p) {
  for (int i = 0; i < lanes; ++i)
    for (int k = 0; k < i; ++k) {
      const T value = lane_of(p[i], k);
      lane_of(p[i], k) = lane_of(p[k], i);
      lane_of(p[k], i) = value;
    }
}

#endif

}  // namespace halocline::strips
