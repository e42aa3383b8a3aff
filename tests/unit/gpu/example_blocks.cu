// Block kernels that use every tool of gpu/block_kernel.hpp, for its test.
#include "gpu/block_kernel.hpp"
#include "lib/base/types.hpp"

namespace halocline {
namespace {

constexpr unsigned every_lane = 0xffffffffU;

// Sum over a warp, on its first lane.
__device__ double warp_sum(double value) {
  for (unsigned by = 16; by > 0; by /= 2) value += __shfl_down_sync(every_lane, value, by);
  return value;
}

// *sum += x . y
template <int Threads>
__global__ void dot(Index n, const double* x, const double* y, double* sum) {
  __shared__ double shares[Threads / 32];
  double own = 0;
  const Index stride = static_cast<Index>(gridDim.x) * Threads;
  for (Index i = static_cast<Index>(blockIdx.x) * Threads + threadIdx.x; i < n; i += stride) own += x[i] * y[i];
  own = warp_sum(own);
  if (threadIdx.x % 32 == 0) shares[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  own = warp_sum(threadIdx.x < Threads / 32 ? shares[threadIdx.x] : 0.0);
  if (threadIdx.x == 0) atomicAdd(sum, own);
}

// out[column][row] = in[row][column] through a tile of 16 rows with `width` places each, 16 x 16 threads.
__global__ void transpose(Index rows, Index columns, const double* in, double* out, unsigned width) {
  double* tile = dynamic_shared<double>();
  const Index row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row < rows && column < columns) {
    __pipeline_memcpy_async(&tile[threadIdx.y * width + threadIdx.x], &in[row * columns + column], sizeof(double));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const Index to_row = blockIdx.x * 16 + threadIdx.y, to_column = blockIdx.y * 16 + threadIdx.x;
  if (to_row < columns && to_column < rows) out[to_row * rows + to_column] = tile[threadIdx.x * width + threadIdx.y];
}

// `steps` times: every value becomes the sum of its neighbors on a ring. x and y take turns.
__global__ void ring(Index n, double* x, double* y, int steps) {
  for (int step = 0; step < steps; ++step) {
    const double* from = step % 2 == 0 ? x : y;
    double* to = step % 2 == 0 ? y : x;
    const Index stride = static_cast<Index>(gridDim.x) * blockDim.x;
    for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
      to[i] = from[(i + n - 1) % n] + from[(i + 1) % n];
    grid_barrier();
  }
}

// out[i]: how many lanes of the warp have an odd value; by vote, of odd lanes alone.
__global__ void count_odd(const int* values, int* out) {
  const unsigned odd_lanes = 0xaaaaaaaaU;
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = -1;
  } else {
    unsigned votes = __ballot_sync(odd_lanes, values[threadIdx.x] % 2);
    int count = 0;
    for (; votes != 0; votes &= votes - 1) ++count;
    out[threadIdx.x] = count;
  }
}

}  // namespace
}  // namespace halocline
