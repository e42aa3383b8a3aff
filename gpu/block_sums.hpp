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

  // Where lanes of a warp add to the same words, which would make them wait for each other, the first adds for all.
  // `word`: of all sums, the first that this lane adds to. Whether this lane is to add.
  __device__ static bool join_warp(int word, ExactSum::Pieces& piece) {
#if defined(__CUDA_ARCH__)
    const unsigned peers = __match_any_sync(__activemask(), word), lane = threadIdx.x % 32;
    if (peers == ~0U) {
      for (int half = 16; half > 0; half /= 2) {
        piece.low += __shfl_down_sync(~0U, piece.low, half);
        piece.middle += __shfl_down_sync(~0U, piece.middle, half);
        piece.high += __shfl_down_sync(~0U, piece.high, half);
      }
      return lane == 0;
    }
    const ExactSum::Pieces own = piece;
    piece.low = piece.middle = piece.high = 0;
    for (unsigned rest = peers; rest != 0; rest &= rest - 1) {
      const int other = __ffs(static_cast<int>(rest)) - 1;
      piece.low += __shfl_sync(peers, own.low, other);
      piece.middle += __shfl_sync(peers, own.middle, other);
      piece.high += __shfl_sync(peers, own.high, other);
    }
    return lane + 1 == static_cast<unsigned>(__ffs(static_cast<int>(peers)));
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

// Where the sums of all blocks of a kernel meet, in device memory that is zero before and after it.
struct SumTotal {
  unsigned long long* words;
  unsigned* finished;  // blocks that are done

  // Called by all threads of every block, with the block's own sums in shared memory. True in the last block to finish,
  // which is to take all words.
  __device__ bool add_block(const unsigned long long* own, int count) const {
    __shared__ bool last;
    __syncthreads();
    for (int n = threadIdx.x; n < count; n += blockDim.x)
      if (own[n] != 0) atomicAdd(words + n, own[n]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(finished, 1U) == gridDim.x * gridDim.y - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) *finished = 0;
    return last;
  }
  __device__ unsigned long long take(int n) const { return atomicExch(words + n, 0ULL); }
};

// The first and the last limb in use, by a warp that looks at all of them at once: lane 0 gets what
// exact_rounding::used_limbs() gives.
__device__ inline exact_rounding::Used used_by_warp(const unsigned long long* word) {
#if defined(__CUDA_ARCH__)
  const unsigned lane = threadIdx.x % 32;
  static_assert(ExactSum::limbs > 64 && ExactSum::limbs <= 96);
  const unsigned low = __ballot_sync(~0U, word[lane] != 0), middle = __ballot_sync(~0U, word[lane + 32] != 0);
  const unsigned high = __ballot_sync(~0U, lane < ExactSum::limbs - 64 && word[lane + 64] != 0);
  const int first = low != 0      ? __ffs(static_cast<int>(low)) - 1
                    : middle != 0 ? __ffs(static_cast<int>(middle)) + 31
                                  : __ffs(static_cast<int>(high)) + 63;
  const int last = high != 0     ? 95 - __clz(static_cast<int>(high))
                   : middle != 0 ? 63 - __clz(static_cast<int>(middle))
                                 : 31 - __clz(static_cast<int>(low));
  return {first, last};
#else
  return exact_rounding::used_limbs(word);
#endif
}

// Takes the sums from `total` and calls store(k, sum k as a double), by a thread each; all threads of the last block,
// which has at least a warp. `own`: shared memory for all words, changed.
template <class Store>
__device__ void round_sums(const SumTotal& total, unsigned long long* own, int words, const Store& store) {
  __threadfence();
  for (int n = threadIdx.x; n < words; n += blockDim.x) own[n] = total.take(n);
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / 32, warp = static_cast<int>(threadIdx.x) / 32;
  if (warp >= warps) return;
  for (int k = warp; k < words / ExactSum::words; k += warps) {
    unsigned long long* sum = own + k * ExactSum::words;
    const exact_rounding::Used used = used_by_warp(sum);
    if (threadIdx.x % 32 == 0) store(k, exact_rounding::rounded(sum, used));
    __syncwarp();
  }
}

// What becomes of the sums of a kernel. The last block to finish hands them to the host, so that they need neither a
// clearing nor a copy of their own; or leaves them in memory of the device, rounded.
struct SumTarget {
  SumTotal total;
  unsigned long long* host;  // pinned host memory
  unsigned long long* flag;  // pinned host memory, set to `ticket` when the sums are there; null: they stay in `total`
  unsigned long long ticket;
  double* rounded = nullptr;  // device memory; not null: where the sums go instead

  // Called by all threads of every block, with the block's own sums in shared memory; nothing may follow.
  __device__ void finish(unsigned long long* own, int words) const {
    if (!total.add_block(own, words)) return;
    if (rounded != nullptr) return round_sums(total, own, words, [this](int k, double value) { rounded[k] = value; });
    if (flag == nullptr) return;
    __threadfence();
    for (int n = threadIdx.x; n < words; n += blockDim.x) host[n] = total.take(n);
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

// Accumulators of this many words never move, so that a LaunchGraph may hold launches with them.
constexpr int most_words = 8000;

struct SumRoom {
  SumTotal total;
  std::uint64_t* pinned;  // the flag, then the sums
};
// To be used under the executor's scratch_mutex().
inline SumRoom sum_room(const CudaExecutor& cuda, int words) {
  require(words < most_words, "sums of a kernel: too many at once");
  const CudaScratch room = cuda.accumulators((most_words + 1) * sizeof(std::int64_t));
  return {{static_cast<unsigned long long*>(room.device) + 1, static_cast<unsigned*>(room.device)},
          static_cast<std::uint64_t*>(room.pinned)};
}

// start(target) launches the kernel, and measures it where that is wanted. One launch and one wait per sum, no
// allocation. Unless `deliver`, there is no wait: the sums stay on the device and come with the next ones, which must
// be of as many.
template <int K, class Launch>
void sum_blocks(const Executor& executor, const Label& label, const Launch& start, std::span<ExactSum, K> sums,
                bool deliver = true) {
  const CudaExecutor& cuda = static_cast<const CudaExecutor&>(executor);
  const std::lock_guard lock(cuda.scratch_mutex());
  const SumRoom room = sum_room(cuda, K * ExactSum::words);
  const std::uint64_t ticket = room.pinned[0] + 1;
  auto* sent = reinterpret_cast<unsigned long long*>(room.pinned);
  start(SumTarget{room.total, sent + 1, deliver ? sent : nullptr, ticket});
  cuda.note_launch(label.name);
  if (!deliver) return;
  cuda.wait_for(room.pinned, ticket);
  const auto* host = reinterpret_cast<const std::int64_t*>(room.pinned + 1);
  for (int k = 0; k < K; ++k) {
    ExactSum part;
    std::copy_n(host + k * ExactSum::words, ExactSum::words, part.data().begin());
    part.normalize();  // limbs may hold as many additions as there are chunks
    sums[k].add(part);
  }
}

// The same for sums that go, rounded, to `rounded` in memory of the device; a LaunchGraph can hold it.
template <int K, class Launch>
void round_blocks(const Executor& executor, const Label& label, const Launch& start, double* rounded) {
  const CudaExecutor& cuda = static_cast<const CudaExecutor&>(executor);
  const std::lock_guard lock(cuda.scratch_mutex());
  start(SumTarget{sum_room(cuda, K * ExactSum::words).total, nullptr, nullptr, 0, rounded});
  cuda.note_launch(label.name);
}

#else

// The same on the host, for one executor per thread.
template <int K>
SumTotal sum_room() {
  static thread_local unsigned long long total[K * ExactSum::words];
  static thread_local unsigned finished;
  return {total, &finished};
}
template <int K, class Launch>
void sum_blocks(const Executor& executor, const Label&, const Launch& start, std::span<ExactSum, K> sums,
                bool deliver = true) {
  static thread_local unsigned long long host[K * ExactSum::words], flag;
  start(SumTarget{sum_room<K>(), host, deliver ? &flag : nullptr, 1});
  if (!deliver) return;
  executor.synchronize();
  for (int k = 0; k < K; ++k) {
    ExactSum part;
    std::copy_n(host + k * ExactSum::words, ExactSum::words, part.data().begin());
    part.normalize();
    sums[k].add(part);
  }
}
template <int K, class Launch>
void round_blocks(const Executor&, const Label&, const Launch& start, double* rounded) {
  start(SumTarget{sum_room<K>(), nullptr, nullptr, 0, rounded});
}

#endif

}  // namespace halocline::detail
