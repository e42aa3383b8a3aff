// The history of 16 nodes at a time as one column of a product of tiles, form (10) of the psi-Caputo CUDA paper: rows
// of the left tile are nodes, its columns states, which lie as the product wants them; the first column of the right
// tile are the coefficients of the sums. Fifteen of sixteen columns are zeros.
#include "gpu/block_kernel.hpp"
#include "gpu/tile_product.hpp"
#include "lib/problems/fractional/history/series_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int warp_threads = 32;
constexpr int series_warps = 4;
constexpr int series_threads = series_warps * warp_threads;

std::size_t bytes_of_right(int terms) { return sizeof(Half) * static_cast<std::size_t>(terms * tile_edge); }

// Two states of a node at a time, the even and the odd ones by different threads.
__device__ void take_up(const SeriesTiles& of, Index at, int odd) {
  const double last = of.slot[at];
  if (odd == 0) of.first[at] = last;
  for (int n = odd; n < of.terms; n += 2) {
    Half* const state = of.states + n * of.distance + at;
    const float old = static_cast<float>(of.decay[n]) * to_float(*state);
    *state = to_half(halocline::fma(static_cast<float>(of.into[n]), static_cast<float>(last), old));
  }
}

__global__ void __launch_bounds__(series_threads) sum_tiles(SeriesTiles of) {
  __shared__ float sums[series_warps][tile_edge * tile_edge];
  auto* const right = dynamic_shared<Half>();
  for (int n = static_cast<int>(threadIdx.x); n < of.terms * tile_edge; n += series_threads)
    right[n] = to_half(n % tile_edge == 0 ? static_cast<float>(of.out[n / tile_edge]) : 0.0F);
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / warp_threads, lane = static_cast<int>(threadIdx.x) % warp_threads;
  const Index begin = (static_cast<Index>(blockIdx.x) * series_warps + warp) * tile_edge;
  if (begin >= of.nodes) return;
  const Index at = begin + lane % tile_edge;
  if (of.takes) take_up(of, at, lane / tile_edge);
  __syncwarp();
  TileProduct product;
  for (int k = 0; k < of.terms; k += tile_edge)
    product.add(of.states + k * of.distance + begin, of.distance, right + k * tile_edge);
  product.store(sums[warp]);
  __syncwarp();
  if (lane < tile_edge) of.slot[at] = of.scale * static_cast<double>(sums[warp][lane * tile_edge]);
}

}  // namespace

bool plan_series_tiles(const Executor& executor, int terms) {
  return runs_block_kernels(executor) && terms % tile_edge == 0 &&
         bytes_of_right(terms) + sizeof(float) * series_warps * tile_edge * tile_edge <=
             block_limits(executor).shared_bytes;
}

void series_tiles(const Executor& executor, const Label& label, const SeriesTiles& of) {
  if (of.nodes == 0) return;
  constexpr Index nodes_of_block = series_warps * tile_edge;
  const auto blocks = static_cast<unsigned>((of.nodes + nodes_of_block - 1) / nodes_of_block);
  launch_blocks(executor, label, {{blocks}, {series_threads}, bytes_of_right(of.terms)}, sum_tiles, of);
}

}  // namespace halocline::fractional
