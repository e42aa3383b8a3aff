// Exact sums in block kernels: every block adds to accumulators in its shared memory, the last block to end hands the
// joined sums to the host. Runs on the host as well, see gpu/block_kernel.hpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>

#include "gpu/block_kernel.hpp"
#include "lib/base/exact_sum.hpp"

namespace halocline::detail {

// Chunk sums go into the limbs of accumulators in shared memory, one set for each block, by 64-bit integer atomics:
// exact in any order.
struct DeviceSink {
  unsigned long long* words;

  // Where all lanes of a warp add to the same words, which would make them wait for each other, the first adds for all.
  // `word`: of all sums, the first that this lane adds to. Whether this lane is to add.
  __device__ static bool join_warp(int word, ExactSum::Pieces& piece) {
#if defined(__CUDA_ARCH__)
    int same = 0;
    const unsigned active = __activemask();
    __match_all_sync(active, word, &same);
    if (active != ~0U || same == 0) return true;
    for (int half = 16; half > 0; half /= 2) {
      piece.low += __shfl_down_sync(~0U, piece.low, half);
      piece.middle += __shfl_down_sync(~0U, piece.middle, half);
      piece.high += __shfl_down_sync(~0U, piece.high, half);
    }
    return threadIdx.x % 32 == 0;
#else
    static_cast<void>(word), static_cast<void>(piece);
    return true;
#endif
  }

  __device__ void add(int which, double value) {
    unsigned long long* own = words + which * ExactSum::words;
    std::uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits << 1 == 0) return;
    if ((static_cast<int>(bits >> 52) & 0x7ff) == 0x7ff) {
      atomicAdd(own + ExactSum::special(bits), 1ULL);
      return;
    }
    ExactSum::Pieces piece = ExactSum::split(bits);
    if (!join_warp(which * ExactSum::words + piece.first, piece)) return;
    atomicAdd(own + piece.first, static_cast<unsigned long long>(piece.low));
    atomicAdd(own + piece.first + 1, static_cast<unsigned long long>(piece.middle));
    atomicAdd(own + piece.first + 2, static_cast<unsigned long long>(piece.high));
  }
};

// Where the sums of a kernel meet. `total` is zero before and after the kernel; the last block to finish hands the
// sums to the host, so that they need neither a clearing nor a copy of their own.
struct SumTarget {
  unsigned long long* total;  // device memory
  unsigned long long* host;   // pinned host memory
  unsigned* finished;         // blocks that are done; zero before and after the kernel
  unsigned long long* flag;   // pinned host memory, set to `ticket` when the sums are there; null: they stay in `total`
  unsigned long long ticket;

  // Called by all threads of every block, with the block's own sums in shared memory; nothing may follow.
  __device__ void finish(const unsigned long long* own, int words) const {
    __shared__ bool last;
    __syncthreads();
    for (int n = threadIdx.x; n < words; n += blockDim.x)
      if (own[n] != 0) atomicAdd(total + n, own[n]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(finished, 1U) == gridDim.x * gridDim.y - 1;
    __syncthreads();
    if (!last) return;
    if (threadIdx.x == 0) *finished = 0;
    if (flag == nullptr) return;
    __threadfence();
    for (int n = threadIdx.x; n < words; n += blockDim.x) host[n] = atomicExch(total + n, 0ULL);
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x > 0) return;
    *reinterpret_cast<volatile unsigned long long*>(flag) = ticket;
  }
};

// The block's accumulators, all zero. To be called once by all threads of a kernel.
template <int K>
__device__ unsigned long long* block_sums() {
  __shared__ unsigned long long words[K * ExactSum::words];
  for (int n = threadIdx.x; n < K * ExactSum::words; n += blockDim.x) words[n] = 0;
  __syncthreads();
  return words;
}

#if defined(__CUDACC__)

// start(target) launches the kernel, and measures it where that is wanted. One launch and one wait per sum, no
// allocation. Unless `deliver`, there is no wait: the sums stay on the device and come with the next ones, which must
// be of as many.
template <int K, class Launch>
void sum_blocks(const Executor& executor, const Label& label, const Launch& start, std::span<ExactSum, K> sums,
                bool deliver = true) {
  const CudaExecutor& cuda = static_cast<const CudaExecutor&>(executor);
  const std::lock_guard lock(cuda.scratch_mutex());
  constexpr std::size_t words = K * ExactSum::words;
  const CudaScratch room = cuda.accumulators((words + 1) * sizeof(std::int64_t));
  auto* total = static_cast<unsigned long long*>(room.device);
  auto* pinned = static_cast<std::uint64_t*>(room.pinned);  // the flag, then the sums
  const std::uint64_t ticket = pinned[0] + 1;
  auto* sent = reinterpret_cast<unsigned long long*>(pinned);
  start(SumTarget{total + 1, sent + 1, static_cast<unsigned*>(room.device), deliver ? sent : nullptr, ticket});
  cuda.note_launch(label.name);
  if (!deliver) return;
  cuda.wait_for(pinned, ticket);
  const auto* host = reinterpret_cast<const std::int64_t*>(pinned + 1);
  for (int k = 0; k < K; ++k) {
    ExactSum part;
    std::copy_n(host + k * ExactSum::words, ExactSum::words, part.data().begin());
    part.normalize();  // limbs may hold as many additions as there are chunks
    sums[k].add(part);
  }
}

#else

// The same on the host, for one executor per thread.
template <int K, class Launch>
void sum_blocks(const Executor& executor, const Label&, const Launch& start, std::span<ExactSum, K> sums,
                bool deliver = true) {
  constexpr std::size_t words = K * ExactSum::words;
  static thread_local unsigned long long total[words], host[words], flag;
  static thread_local unsigned finished;
  start(SumTarget{total, host, &finished, deliver ? &flag : nullptr, 1});
  if (!deliver) return;
  executor.synchronize();
  for (int k = 0; k < K; ++k) {
    ExactSum part;
    std::copy_n(host + k * ExactSum::words, ExactSum::words, part.data().begin());
    part.normalize();
    sums[k].add(part);
  }
}

#endif

}  // namespace halocline::detail
