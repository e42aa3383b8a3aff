// The CUDA branch of gpu/launch.hpp: grid kernels that call a body, and sums in device accumulators.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <span>

#include "gpu/block_sums.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/stream/early_launch.hpp"
#include "lib/base/exact_sum.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/pack.hpp"
#include "lib/base/profile/kernel_profile.hpp"
#include "lib/base/view.hpp"

namespace halocline::detail {

constexpr int threads_per_block = 256;

inline const CudaExecutor& as_cuda(const Executor& executor) { return static_cast<const CudaExecutor&>(executor); }

inline cudaStream_t stream_of(const Executor& executor) {
  return static_cast<cudaStream_t>(executor.native(Queue::compute));
}

// Throws when the last launch was refused; faults inside a kernel show at the next wait, with its name.
inline void check_launch(const Executor& executor, const Label& label) { as_cuda(executor).note_launch(label.name); }

inline unsigned blocks_for(Index threads) {
  return static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
}

// body at the n-th index of a range, in row order.
template <int Rank, class Body>
__device__ decltype(auto) call_at(const Range<Rank>& range, Index n, const Body& body) {
  if constexpr (Rank == 1) {
    return body(range.lo[0] + n);
  } else if constexpr (Rank == 2) {
    const Index row = range.extent(1);
    return body(range.lo[0] + n / row, range.lo[1] + n % row);
  } else {
    const Index row = range.extent(2), plane = range.extent(1) * row;
    return body(range.lo[0] + n / plane, range.lo[1] + n % plane / row, range.lo[2] + n % row);
  }
}

template <int Rank, class Body>
__global__ void run_box(Range<Rank> range, Body body) {
  after_others();
  const Index n = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < range.size()) call_at(range, n, body);
}

template <int Rank, class Body>
void launch_on_cuda(const Executor& executor, const Label& label, const Range<Rank>& range, const Body& body) {
  const KernelTimer timer(executor, label);
  start_early(executor, blocks_for(range.size()), threads_per_block, run_box<Rank, Body>, range, body);
  check_launch(executor, label);
}

constexpr int row_threads = 128;        // per block
constexpr Index lines_of_grid = 65535;  // along y of a grid; more follow along z

// A thread per node; blocks along a line. No loop over lines: what does not change in it would occupy registers.
template <class Body>
__device__ void run_row_blocks(const Range<2>& range, const Body& body) {
  const Index j = range.lo[1] + static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index i = range.lo[0] + blockIdx.z * lines_of_grid + blockIdx.y;
  if (i < range.hi[0] && j < range.hi[1]) body(i, j);
}
template <class Body>
__global__ void run_rows(Range<2> range, Body body) {
  run_row_blocks(range, body);
}
// With so few registers that `Resident` blocks fit on a multiprocessor.
template <int Resident, class Body>
__global__ void __launch_bounds__(row_threads, Resident) run_rows_of_few_registers(Range<2> range, Body body) {
  run_row_blocks(range, body);
}

template <class Body>
void launch_rows_on_cuda(const Executor& executor, const Label& label, const Range<2>& range, const Body& body) {
  const Index lines = range.extent(0);
  const dim3 grid(static_cast<unsigned>((range.extent(1) + row_threads - 1) / row_threads),
                  static_cast<unsigned>(std::min(lines, lines_of_grid)),
                  static_cast<unsigned>((lines + lines_of_grid - 1) / lines_of_grid));
  const KernelTimer timer(executor, label);
  if constexpr (requires { Body::resident_blocks; }) {
    run_rows_of_few_registers<Body::resident_blocks><<<grid, row_threads, 0, stream_of(executor)>>>(range, body);
  } else {
    run_rows<<<grid, row_threads, 0, stream_of(executor)>>>(range, body);
  }
  check_launch(executor, label);
}

// A block per line. Terms are added pairwise, those half of the threads apart first: two warps, then one, then lanes.
template <int K, class Body>
__device__ void run_summed_row_blocks(const Range<2>& range, const Body& body) {
  static_assert(row_threads == 128);
  __shared__ double shares[K][row_threads];
  const Index j = range.lo[1] + threadIdx.x, i = range.lo[0] + blockIdx.z * lines_of_grid + blockIdx.y;
  if (i >= range.hi[0]) return;
  double terms[K] = {};
  if (j < range.hi[1]) body(i, j, terms);
  for (int k = 0; k < K; ++k) shares[k][threadIdx.x] = terms[k];
  __syncthreads();
  if (threadIdx.x >= 32) return;
  for (int k = 0; k < K; ++k) {
    const double* of_lane = &shares[k][threadIdx.x];
    double sum = (of_lane[0] + of_lane[64]) + (of_lane[32] + of_lane[96]);
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(~0U, sum, half);
    if (threadIdx.x == 0) body.of(i)[k] = sum;
  }
}
template <int K, class Body>
__global__ void __launch_bounds__(row_threads) run_summed_rows(Range<2> range, Body body) {
  run_summed_row_blocks<K>(range, body);
}
template <int K, int Resident, class Body>
__global__ void __launch_bounds__(row_threads, Resident) run_summed_rows_of_few_registers(Range<2> range, Body body) {
  run_summed_row_blocks<K>(range, body);
}

template <int K, class Body>
void launch_summed_rows_on_cuda(const Executor& executor, const Label& label, const Range<2>& range, const Body& body) {
  const Index lines = range.extent(0);
  const dim3 grid(1, static_cast<unsigned>(std::min(lines, lines_of_grid)),
                  static_cast<unsigned>((lines + lines_of_grid - 1) / lines_of_grid));
  const KernelTimer timer(executor, label);
  if constexpr (requires { Body::resident_blocks; }) {
    run_summed_rows_of_few_registers<K, Body::resident_blocks>
        <<<grid, row_threads, 0, stream_of(executor)>>>(range, body);
  } else {
    run_summed_rows<K><<<grid, row_threads, 0, stream_of(executor)>>>(range, body);
  }
  check_launch(executor, label);
}

// Where a thread stands among groups, pieces and lanes. The pieces of a group fill whole blocks, or a block holds
// several groups; either way the pieces that share a block do not depend on the number of groups.
struct LaneLayout {
  unsigned groups, pieces;
  unsigned pieces_per_block = 1;  // a power of two
  unsigned blocks_per_group, groups_per_block;

  LaneLayout(Index group_count, Index piece_count)
      : groups(static_cast<unsigned>(group_count)), pieces(static_cast<unsigned>(piece_count)) {
    while (pieces_per_block < pieces && pieces_per_block < threads_per_block / lanes) pieces_per_block *= 2;
    blocks_per_group = (pieces + pieces_per_block - 1) / pieces_per_block;
    groups_per_block = threads_per_block / lanes / pieces_per_block;
  }
  unsigned blocks() const { return (groups + groups_per_block - 1) / groups_per_block * blocks_per_group; }
};

// The place of this thread when its block does the work of block `block` of the layout.
struct LanePlace {
  unsigned group, piece, piece_in_block, lane;
  bool inside;

  __device__ LanePlace(const LaneLayout& layout, unsigned block)
      : piece_in_block(threadIdx.x / lanes % layout.pieces_per_block), lane(threadIdx.x % lanes) {
    group = block / layout.blocks_per_group * layout.groups_per_block + threadIdx.x / lanes / layout.pieces_per_block;
    piece = block % layout.blocks_per_group * layout.pieces_per_block + piece_in_block;
    inside = group < layout.groups && piece < layout.pieces;
  }
};

template <class Body>
__global__ void run_lanes(LaneLayout layout, Body body) {
  after_others();
  const LanePlace place(layout, blockIdx.x);
  if (place.inside) body.template operator()<double>(place.group, place.piece, place.lane);
}

template <class Body>
void launch_lanes_on_cuda(const Executor& executor, const Label& label, Index groups, Index pieces, const Body& body) {
  const LaneLayout layout(groups, pieces);
  const KernelTimer timer(executor, label);
  start_early(executor, layout.blocks(), threads_per_block, run_lanes<Body>, layout, body);
  check_launch(executor, label);
}

// Takes the sums of one thread; add_joined marks those whose lanes make one chunk.
template <int K>
struct ThreadSink {
  double value[K] = {};
  bool joined = false;
  __device__ void add(int which, double v) { value[which] = v; }
  __device__ void add_joined(int which, double v) {
    value[which] = v;
    joined = true;
  }
};

// The pieces of a lane that share a block of the layout are added in a fixed order, then the lanes if they are one
// chunk. A block of threads does the work of several blocks of the layout.
template <int K, class Body, class Target>
__global__ void run_sum_lanes(LaneLayout layout, unsigned blocks, Body body, Target target) {
  __shared__ double shares[K][threads_per_block];
  DeviceSink sink{block_sums<K>()};
  after_others();
  for (unsigned block = blockIdx.x; block < blocks; block += gridDim.x) {
    const LanePlace place(layout, block);
    ThreadSink<K> own;
    if (place.inside) body.template operator()<double>(place.group, place.piece, place.lane, own);
    for (int k = 0; k < K; ++k) shares[k][threadIdx.x] = own.value[k];
    for (unsigned half = layout.pieces_per_block / 2; half > 0; half /= 2) {
      __syncthreads();
      if (place.piece_in_block < half)
        for (int k = 0; k < K; ++k) shares[k][threadIdx.x] += shares[k][threadIdx.x + half * lanes];
    }
    __syncthreads();
    if (place.piece_in_block == 0 && place.group < layout.groups) {
      for (int k = 0; k < K; ++k) {
        const double* v = &shares[k][threadIdx.x - place.lane];
        if (!own.joined) {
          sink.add(k, shares[k][threadIdx.x]);
        } else if (place.lane == 0) {
          sink.add(k, ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])));
        }
      }
    }
    __syncthreads();
  }
  target.finish(sink.words, K * ExactSum::words);
}

// Threads that share accumulators take turns where they add to the same word, so few of them do.
constexpr int threads_per_sum = 32;

template <int K, class Body>
__global__ void __launch_bounds__(threads_per_sum) run_sum_chunks(Index chunks, Body body, SumTarget target) {
  DeviceSink sink{block_sums<K>()};
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index n = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; n < chunks; n += step) body(n, sink);
  target.finish(sink.words, K * ExactSum::words);
}

template <int K, class Body>
void sum_lanes_on_cuda(const Executor& executor, const Label& label, Index groups, Index pieces, const Body& body,
                       std::span<ExactSum, K> sums) {
  const LaneLayout layout(groups, pieces);
  const unsigned blocks = layout.blocks(), most = 8 * static_cast<unsigned>(as_cuda(executor).multiprocessors());
  sum_blocks<K>(
      executor, label,
      [&](SumTarget target) {
        const KernelTimer timer(executor, label);
        run_sum_lanes<K>
            <<<std::min(blocks, most), threads_per_block, 0, stream_of(executor)>>>(layout, blocks, body, target);
      },
      sums);
}

// Sums that do not leave the device, but for what `then` does with them; see end_lanes() in gpu/launch.hpp.
template <int K, class Then>
struct EndTarget {
  SumTotal total;
  Then then;

  __device__ void finish(unsigned long long* own, int words) const {
    __shared__ double rounded[K];
    if (!total.add_block(own, words)) return;
    double* const to = rounded;
    round_sums(total, own, words, [to](int k, double value) { to[k] = value; });
    __syncthreads();
    if (threadIdx.x == 0) then(rounded);
  }
};

template <int K, class Body, class Then>
void end_lanes_on_cuda(const Executor& executor, const Label& label, Index groups, Index pieces, const Body& body,
                       const Then& then) {
  const LaneLayout layout(groups, pieces);
  const unsigned blocks = layout.blocks(), most = 8 * static_cast<unsigned>(as_cuda(executor).multiprocessors());
  const std::lock_guard lock(as_cuda(executor).scratch_mutex());
  const EndTarget<K, Then> target{sum_room(as_cuda(executor), K * ExactSum::words).total, then};
  const KernelTimer timer(executor, label);
  start_early(executor, std::min(blocks, most), threads_per_block, run_sum_lanes<K, Body, EndTarget<K, Then>>, layout,
              blocks, body, target);
  check_launch(executor, label);
}

template <int K, class Body>
void sum_chunks_on_cuda(const Executor& executor, const Label& label, Index chunks, const Body& body,
                        std::span<ExactSum, K> sums) {
  if (chunks <= 0) return;
  const Index most = 16 * static_cast<Index>(as_cuda(executor).multiprocessors());
  const auto blocks = static_cast<unsigned>(std::min((chunks + threads_per_sum - 1) / threads_per_sum, most));
  sum_blocks<K>(
      executor, label,
      [&](SumTarget target) {
        const KernelTimer timer(executor, label);
        run_sum_chunks<K><<<blocks, threads_per_sum, 0, stream_of(executor)>>>(chunks, body, target);
      },
      sums);
}

// Each block leaves its share in partial[block]. `op` does not depend on order, so neither does the result.
template <class T, int Rank, class Op, class Body>
__global__ void run_reduce(Range<Rank> range, T initial, Op op, Body body, T* partial) {
  __shared__ alignas(T) unsigned char memory[threads_per_block * sizeof(T)];
  T* shares = reinterpret_cast<T*>(memory);
  T own = initial;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index n = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; n < range.size(); n += step)
    own = op(own, call_at(range, n, body));
  shares[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = threads_per_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shares[threadIdx.x] = op(shares[threadIdx.x], shares[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = shares[0];
}

template <class T, int Rank, class Op, class Body>
T reduce_on_cuda(const Executor& executor, const Label& label, const Range<Rank>& range, T initial, const Op& op,
                 const Body& body) {
  if (range.size() == 0) return initial;
  const CudaExecutor& cuda = as_cuda(executor);
  const unsigned blocks = std::min(blocks_for(range.size()), 4 * static_cast<unsigned>(cuda.multiprocessors()));
  const std::size_t bytes = blocks * sizeof(T);
  const std::lock_guard lock(cuda.scratch_mutex());
  const CudaScratch scratch = cuda.scratch(bytes);
  {
    const KernelTimer timer(executor, label);
    run_reduce<<<blocks, threads_per_block, 0, stream_of(executor)>>>(range, initial, op, body,
                                                                      static_cast<T*>(scratch.device));
    check_launch(executor, label);
  }
  cuda.fetch_scratch(bytes);
  const T* shares = static_cast<const T*>(scratch.pinned);
  return std::accumulate(shares, shares + blocks, initial, op);
}

}  // namespace halocline::detail
