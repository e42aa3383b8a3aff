// The CUDA branch of gpu/launch.hpp: grid kernels that call a body, and sums in device accumulators.
#pragma once

#include <cuda_runtime.h>

#include <span>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/exact_sum.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/pack.hpp"
#include "lib/base/view.hpp"

namespace halocline::detail {

constexpr int threads_per_block = 256;

inline cudaStream_t stream_of(const Executor& executor) {
  return static_cast<cudaStream_t>(executor.native(Queue::compute));
}

// Throws when the last launch was refused; faults inside a kernel show at the next wait.
inline void check_launch(const Executor& executor, const char* name) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess)
    throw MachineError("launch of kernel '" + std::string(name) + "' on " + executor.name() +
                       " failed: " + cudaGetErrorString(status));
}

inline unsigned blocks_for(Index threads) {
  return static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
}

template <int Rank, class Body>
__global__ void run_box(Range<Rank> range, Body body) {
  const Index n = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n >= range.size()) return;
  if constexpr (Rank == 1) {
    body(range.lo[0] + n);
  } else if constexpr (Rank == 2) {
    const Index row = range.extent(1);
    body(range.lo[0] + n / row, range.lo[1] + n % row);
  } else {
    const Index row = range.extent(2), plane = range.extent(1) * row;
    body(range.lo[0] + n / plane, range.lo[1] + n % plane / row, range.lo[2] + n % row);
  }
}

template <int Rank, class Body>
void launch_on_cuda(const Executor& executor, const char* name, const Range<Rank>& range, const Body& body) {
  run_box<<<blocks_for(range.size()), threads_per_block, 0, stream_of(executor)>>>(range, body);
  check_launch(executor, name);
}

template <class Body>
__global__ void run_lanes(Index groups, Body body) {
  const Index n = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < groups * lanes) body.template operator()<double>(n / lanes, n % lanes);
}

template <class Body>
void launch_lanes_on_cuda(const Executor& executor, const char* name, Index groups, const Body& body) {
  run_lanes<<<blocks_for(groups * lanes), threads_per_block, 0, stream_of(executor)>>>(groups, body);
  check_launch(executor, name);
}

// Chunk sums go into the limbs of K accumulators in device memory, by 64-bit integer atomics: exact in any order.
struct DeviceSink {
  unsigned long long* words;
  __device__ void add(int which, double value) {
    unsigned long long* own = words + which * ExactSum::words;
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
    if ((static_cast<int>(bits >> 52) & 0x7ff) == 0x7ff) {
      atomicAdd(own + ExactSum::special(bits), 1ULL);
      return;
    }
    const ExactSum::Pieces piece = ExactSum::split(bits);
    atomicAdd(own + piece.first, static_cast<unsigned long long>(piece.low));
    atomicAdd(own + piece.first + 1, static_cast<unsigned long long>(piece.middle));
    atomicAdd(own + piece.first + 2, static_cast<unsigned long long>(piece.high));
  }
  // Joins the lanes of a group in the order of HostSink; all lanes of a group sit in one warp.
  __device__ void add_joined(int which, double value) {
    for (int step = lanes / 2; step > 0; step /= 2) value += __shfl_down_sync(__activemask(), value, step, lanes);
    if (threadIdx.x % lanes == 0) add(which, value);
  }
};

template <class Body>
__global__ void run_sum_lanes(Index groups, Body body, DeviceSink sink) {
  const Index n = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < groups * lanes) body.template operator()<double>(n / lanes, n % lanes, sink);
}

template <class Body>
__global__ void run_sum_chunks(Index chunks, Body body, DeviceSink sink) {
  const Index n = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < chunks) body(n, sink);
}

template <int K, class Launch>
void sum_on_cuda(const Executor& executor, const char* name, const Launch& start, std::span<ExactSum, K> sums) {
  const std::size_t bytes = K * ExactSum::words * sizeof(std::int64_t);
  std::vector<std::int64_t> words(K * ExactSum::words, 0);
  void* device = executor.allocate(bytes);
  executor.copy_in(device, words.data(), bytes);
  start(DeviceSink{static_cast<unsigned long long*>(device)});
  check_launch(executor, name);
  executor.copy_out(words.data(), device, bytes);
  executor.deallocate(device, bytes);
  for (int k = 0; k < K; ++k) {
    ExactSum part;
    for (int w = 0; w < ExactSum::words; ++w) part.data()[w] = words[k * ExactSum::words + w];
    sums[k].add(part);
  }
}

template <int K, class Body>
void sum_lanes_on_cuda(const Executor& executor, const char* name, Index groups, const Body& body,
                       std::span<ExactSum, K> sums) {
  sum_on_cuda<K>(
      executor, name,
      [&](DeviceSink sink) {
        run_sum_lanes<<<blocks_for(groups * lanes), threads_per_block, 0, stream_of(executor)>>>(groups, body, sink);
      },
      sums);
}

template <int K, class Body>
void sum_chunks_on_cuda(const Executor& executor, const char* name, Index chunks, const Body& body,
                        std::span<ExactSum, K> sums) {
  sum_on_cuda<K>(
      executor, name,
      [&](DeviceSink sink) {
        run_sum_chunks<<<blocks_for(chunks), threads_per_block, 0, stream_of(executor)>>>(chunks, body, sink);
      },
      sums);
}

template <class T, int Rank, class Body>
struct StoreBody {
  T* values;
  Range<Rank> range;
  Body body;
  __device__ void operator()(Index n) const {
    if constexpr (Rank == 1) {
      values[n] = body(range.lo[0] + n);
    } else if constexpr (Rank == 2) {
      const Index row = range.extent(1);
      values[n] = body(range.lo[0] + n / row, range.lo[1] + n % row);
    } else {
      const Index row = range.extent(2), plane = range.extent(1) * row;
      values[n] = body(range.lo[0] + n / plane, range.lo[1] + n % plane / row, range.lo[2] + n % row);
    }
  }
};

// Values go through memory; reductions of this kind happen a few times per run (error norms, checks).
template <class T, int Rank, class Op, class Body>
T reduce_on_cuda(const Executor& executor, const char* name, const Range<Rank>& range, T initial, const Op& op,
                 const Body& body) {
  const auto count = static_cast<std::size_t>(range.size());
  if (count == 0) return initial;
  auto* values = static_cast<T*>(executor.allocate(count * sizeof(T)));
  launch_on_cuda(executor, name, Range<1>{{0}, {range.size()}}, StoreBody<T, Rank, Body>{values, range, body});
  std::vector<T> host(count);
  executor.copy_out(host.data(), values, count * sizeof(T));
  executor.deallocate(values, count * sizeof(T));
  T result = initial;
  for (const T& value : host) result = op(result, value);
  return result;
}

}  // namespace halocline::detail
