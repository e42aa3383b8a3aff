// Kernels of prisms (prism_thread.hpp): one pass over memory with any rule.
#pragma once

#include <algorithm>

#include "lib/problems/diffusion/cuda/prism_thread.hpp"

namespace halocline::diffusion {

// Blocks of 32 x warps threads, a row of tiles after the other, then the next planes. (An order that puts tiles at
// sides first gains nothing: its arithmetic costs registers, which spill.)
template <class Rule, int R, int Warps, int Blocks>
__global__ void __launch_bounds__(32 * Warps, Blocks)
    prism_kernel(ConvolveBlock<typename Rule::Value> b, Rule rule, PrismPass pass, Prisms prisms) {
  const Index kx = blockIdx.x % prisms.x.count, rest = blockIdx.x / prisms.x.count, ky = rest % prisms.y.count,
              kz = rest / prisms.y.count;
  PrismThread<Rule, R>(b, rule, pass, prisms, kx, ky, kz).walk(!prisms.x.at_side(kx) && !prisms.y.at_side(ky));
}

template <class Rule, int R, int Warps, int PerSM>
void start_prisms(const Executor& executor, const Label& label, const ConvolveBlock<typename Rule::Value>& b,
                  const Rule& rule, const PrismPass& pass) {
  using T = typename Rule::Value;
  constexpr int S = Rule::stages;
  static_assert(S <= prism_margin<T>);
  const Index planes = pass.cells.rows.hi - pass.cells.rows.lo;
  if (planes <= 0 || pass.cells.along_y.hi <= pass.cells.along_y.lo) return;
  const auto span = [&](int axis, SlabRows wanted, Index margin) {
    const auto side = [&](int which) {
      const WallKind kind = b.walls[axis][which].kind;
      return kind == WallKind::periodic ? PrismSide::ring : kind == WallKind::open ? PrismSide::open : PrismSide::wall;
    };
    return PrismSpan(b.extent[axis], wanted, margin, side(0), side(1));
  };
  const PrismSpan along_y = span(1, pass.cells.along_y, Rule::flat ? 0 : S);
  const int warps = prism_warps(along_y, R, S, Warps, sizeof(T), block_limits(executor).shared_bytes);
  Prisms prisms;
  prisms.x = PrismCut(span(0, {0, b.extent[0]}, prism_margin<T>), prism_width<T>, prism_margin<T>);
  prisms.y = PrismCut(along_y, warps * R, S);
  for (const auto& axis : b.walls) prisms.held = prisms.held || axis[0].fixed || axis[1].fixed;
  const auto walls = [&](int axis) {
    return b.walls[axis][0].kind == WallKind::affine || b.walls[axis][1].kind == WallKind::affine;
  };
  prisms.places = prism_wall_places(walls(0), prisms.x, static_cast<int>(prisms.y.length)) +
                  prism_wall_places(walls(1), prisms.y, static_cast<int>(prisms.x.length));
  const std::size_t shared = prism_shared_bytes(R, warps, S) + prism_wall_bytes(prisms.places, S, sizeof(T));
  const auto kernel = prism_kernel<Rule, R, Warps, PerSM>;
  const Index slots = resident_blocks(executor, label.name, 32 * warps, shared, kernel);
  const Index tiles = prisms.x.count * prisms.y.count;
  prisms.chunk = prism_chunk(planes, tiles, std::max<Index>(1, slots), S);
  const Index chunks = (planes + prisms.chunk - 1) / prisms.chunk;
  launch_blocks(executor, label, {{static_cast<unsigned>(tiles * chunks)}, {32, static_cast<unsigned>(warps)}, shared},
                kernel, b, rule, pass, prisms);
}

}  // namespace halocline::diffusion
