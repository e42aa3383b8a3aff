// One step as the CUDA code of HiPerC (github.com/usnistgov/hiperc) makes it, to compare with its tables: blocks of
// 32 x 32 threads each load one value of a tile with its halo into shared memory, the inner threads apply the mask, a
// second kernel adds the result to the state, a third sees to the walls. 40 bytes per cell and step at least. Unlike
// there, ghosts are not stored, and the mask comes through the read-only cache.
#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"

namespace halocline::diffusion {
namespace {

constexpr int tile_side = 32, most_radius = 4;

// Whether a place is inside, away from ghosts and held values.
template <class T>
__device__ bool plain(const ConvolveBlock<T>& b, Index y, Index x) {
  return x > 0 && x < b.extent[0] - 1 && y > 0 && y < b.extent[1] - 1;
}

template <class T>
__global__ void apply_mask(ConvolveBlock<T> b, ConvolveMask<T> m, T* change, Rows rows) {
  __shared__ T tile[tile_side][tile_side];
  const int rx = m.radius[0], ry = m.radius[1], i = static_cast<int>(threadIdx.x), j = static_cast<int>(threadIdx.y);
  const Index x = static_cast<Index>(blockIdx.x) * (tile_side - 2 * rx) + i - rx;
  const Index y = rows.lo + static_cast<Index>(blockIdx.y) * (tile_side - 2 * ry) + j - ry;
  const Cells<T> cells{b.c, b.pitch, 0};
  if (x < b.extent[0] + rx && y < rows.hi + ry)
    tile[j][i] = plain(b, y, x) ? cells(0, y, x) : value(b, 0, cells, 0, y, x);
  __syncthreads();
  if (i < rx || i >= tile_side - rx || j < ry || j >= tile_side - ry || x >= b.extent[0] || y >= rows.hi) return;
  const T* w = m.weights;
  T sum = 0;
  for (int dy = -ry; dy <= ry; ++dy)
    for (int dx = -rx; dx <= rx; ++dx) sum = fma(__ldg(w++), tile[j + dy][i + dx], sum);
  change[y * b.pitch + x] = sum;
}

template <class T>
__global__ void add_change(ConvolveBlock<T> b, const T* change, Rows rows) {
  const Index x = static_cast<Index>(blockIdx.x) * tile_side + threadIdx.x;
  const Index y = rows.lo + static_cast<Index>(blockIdx.y) * tile_side + threadIdx.y;
  if (x >= b.extent[0] || y >= rows.hi) return;
  const Cells<T> cells{b.c, b.pitch, 0};
  const T old = plain(b, y, x) ? cells(0, y, x) : held(b, 0, cells, 0, y, x);
  b.next[y * b.pitch + x] = old + change[y * b.pitch + x];
}

template <class T>
__global__ void keep_walls(ConvolveBlock<T> b, ConvolveMask<T> m, Rows rows) {
  const Index x = static_cast<Index>(blockIdx.x) * tile_side + threadIdx.x;
  const Index y = rows.lo + static_cast<Index>(blockIdx.y) * tile_side + threadIdx.y;
  const int rx = m.radius[0], ry = m.radius[1];
  if (x >= b.extent[0] || y >= rows.hi) return;
  if (x >= rx && x < b.extent[0] - rx && y >= ry && y < b.extent[1] - ry) return;
  const Cells<T> cells{b.c, b.pitch, 0};
  record_uptake(b, m, Neighbors<T, Cells<T>>{b, 0, cells, 0, y, x}, 0, y, x);
}

unsigned tiles(Index cells, int side) { return static_cast<unsigned>((cells + side - 1) / side); }

}  // namespace

bool plan_tiled(const Executor& executor, const PlanePart& part) {
  return runs_block_kernels(executor) && part.dimensions == 2 && part.nx > most_radius && part.ny > most_radius;
}

template <class T>
void tiled(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, T* work, Rows rows) {
  if (rows.lo >= rows.hi) return;
  const Index nx = block.extent[0], ny = rows.hi - rows.lo;
  const dim3 threads(tile_side, tile_side);
  const int inner_x = tile_side - 2 * mask.radius[0], inner_y = tile_side - 2 * mask.radius[1];
  launch_blocks(executor, {"tiled mask", bytes_of(block, rows, 2)}, {{tiles(nx, inner_x), tiles(ny, inner_y)}, threads},
                apply_mask<T>, block, mask, work, rows);
  const Blocks all{{tiles(nx, tile_side), tiles(ny, tile_side)}, threads};
  launch_blocks(executor, {"tiled update", bytes_of(block, rows, 3)}, all, add_change<T>, block, work, rows);
  launch_blocks(executor, "tiled walls", all, keep_walls<T>, block, mask, rows);
}

template void tiled<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, double*, Rows);
template void tiled<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, float*, Rows);

}  // namespace halocline::diffusion
