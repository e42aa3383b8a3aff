// Lines along x in shared memory. For .cu files.
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/problems/fractional/storage/node_kernels.hpp"

namespace halocline::fractional {

// Shared memory of a line: pairs stay together, strips begin in different banks.
__device__ inline int place_of_row(int i) { return i + 2 * (i / 16); }
inline Index places_of_line(Index rows) { return (rows + 2 * (rows / 16) + 3) / 2 * 2; }

// A line to shared memory and back, by some threads; with the number behind an odd last row.
template <class T>
__device__ void bring(T* to, const T* line, int rows, int thread, int threads) {
  for (int i = 2 * thread; i < rows; i += 2 * threads)
    __pipeline_memcpy_async(to + place_of_row(i), line + i, 2 * sizeof(T));
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
template <class T>
__device__ void take_back(T* line, const T* from, int rows, int thread, int threads) {
  for (int i = 2 * thread; i < rows; i += 2 * threads)
    *reinterpret_cast<Few<T, 2>*>(line + i) = *reinterpret_cast<const Few<T, 2>*>(from + place_of_row(i));
}

}  // namespace halocline::fractional
