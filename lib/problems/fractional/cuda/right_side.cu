// The right side in tiles of nodes that pass plane by plane: what a plane reads above it lies in the first cache when
// it is the middle, and below, and lines of a tile read each other's neighbors.
#include <algorithm>

#include "gpu/block_kernel.hpp"
#include "lib/problems/fractional/step/right_side_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int tile_x = 32, tile_y = 8;
constexpr int most_planes = 32;    // that a block passes, as long as there are
constexpr int blocks_wanted = 16;  // of a multiprocessor

template <class Axis>
__global__ void __launch_bounds__(tile_x* tile_y, 3) set_tiles(RightSideBody<Axis> body, int planes) {
  const Index i = static_cast<Index>(blockIdx.x) * tile_x + threadIdx.x;
  const Index j = static_cast<Index>(blockIdx.y) * tile_y + threadIdx.y;
  if (i >= body.slab.extent[0] || j >= body.slab.extent[1]) return;
  const Index begin = body.planes.lo + static_cast<Index>(blockIdx.z) * planes;
  const Index end = begin + planes < body.planes.hi ? begin + planes : body.planes.hi;
  for (Index plane = begin; plane < end; ++plane) body.visit(plane, j, i);
}

unsigned pieces(Index count, Index of) { return static_cast<unsigned>((count + of - 1) / of); }

}  // namespace

bool plan_right_side(const Executor& executor) { return runs_block_kernels(executor); }

template <class Axis>
void set_right_side(const Executor& executor, const Label& label, const RightSideBody<Axis>& body) {
  const Index* const extent = body.slab.extent;
  const unsigned x = pieces(extent[0], tile_x), y = pieces(extent[1], tile_y);
  const Index wanted = Index{blocks_wanted} * block_limits(executor).multiprocessors;
  const Index all = body.planes.hi - body.planes.lo;
  const Index planes = std::clamp<Index>(all * x * y / wanted, 4, most_planes);
  launch_blocks(executor, label, {{x, y, pieces(all, planes)}, {tile_x, tile_y}}, set_tiles<Axis>, body,
                static_cast<int>(planes));
}
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis>&);

}  // namespace halocline::fractional
