// Lines along x in shared memory. For .cu files.
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/storage/node_kernels.hpp"

namespace halocline::fractional {

// Shared memory of a line: pairs stay together, and strips of Length rows begin two places further than they would, so
// that threads with a strip each find pairs in different banks.
template <int Length>
__device__ inline int place_of_row(int i) {
  return i + 2 * (i / Length);
}
inline Index places_of_line(const strips::StripLayout& layout) {
  const Index length = layout.length < 4 ? 4 : layout.length;  // as with_length() says
  return (layout.rows + 2 * (layout.rows / length) + 3) / 2 * 2;
}

// A line to shared memory and back, by some threads; with the number behind an odd last row.
template <int Length, class T>
__device__ void start_bringing(T* to, const T* line, int rows, int thread, int threads) {
  for (int i = 2 * thread; i < rows; i += 2 * threads)
    __pipeline_memcpy_async(to + place_of_row<Length>(i), line + i, 2 * sizeof(T));
}
__device__ inline void finish_bringing() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
template <int Length, class T>
__device__ void bring(T* to, const T* line, int rows, int thread, int threads) {
  start_bringing<Length>(to, line, rows, thread, threads);
  finish_bringing();
}
template <int Length, class T>
__device__ void take_back(T* line, const T* from, int rows, int thread, int threads) {
  for (int i = 2 * thread; i < rows; i += 2 * threads)
    *reinterpret_cast<Few<T, 2>*>(line + i) = *reinterpret_cast<const Few<T, 2>*>(from + place_of_row<Length>(i));
}

// The same number, of which a compiler does not know: what follows from it is computed again, in place of being kept in
// registers.
__device__ __forceinline__ int computed_again(int number) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(number));
#endif
  return number;
}

// Rows of a strip of a line in shared memory, in registers.
template <int Length>
struct StripOfLine {
  int begin, rows;
  bool even;  // all strips have Length rows
  __device__ StripOfLine(const strips::StripLayout& layout, int strip)
      : begin(static_cast<int>(layout.begin(strip))),
        rows(layout.size(strip)),
        even(layout.longer == 0 && layout.length == Length) {}

  // put(i, number of row i)
  template <class T, class Put>
  __device__ __forceinline__ void get(const T* line, const Put& put) const {
    if (!even) {
      const int begin = computed_again(this->begin);
      strips::each_row<most_rows<Length>, least_rows<Length>>(
          rows, [&](int i) { put(i, line[place_of_row<Length>(begin + i)]); });
      return;
    }
    const auto* const pairs = reinterpret_cast<const Few<T, 2>*>(line + place_of_row<Length>(computed_again(begin)));
#pragma unroll
    for (int n = 0; n < Length / 2; ++n) {
      const Few<T, 2> pair = pairs[n];
      put(2 * n, pair.of[0]);
      put(2 * n + 1, pair.of[1]);
    }
  }
  // number(i): of row i.
  template <class T, class Number>
  __device__ __forceinline__ void set(T* line, const Number& number) const {
    if (!even) {
      const int begin = computed_again(this->begin);
      strips::each_row<most_rows<Length>, least_rows<Length>>(
          rows, [&](int i) { line[place_of_row<Length>(begin + i)] = static_cast<T>(number(i)); });
      return;
    }
    auto* const pairs = reinterpret_cast<Few<T, 2>*>(line + place_of_row<Length>(computed_again(begin)));
#pragma unroll
    for (int n = 0; n < Length / 2; ++n) pairs[n] = {static_cast<T>(number(2 * n)), static_cast<T>(number(2 * n + 1))};
  }
};

}  // namespace halocline::fractional
