// Starts the kernel of lib/problems/diffusion/cuda/convolve_resident.hpp: chooses windows that cover a part and fit on
// the device.
#include <algorithm>
#include <mutex>

#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/cuda/convolve_resident.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"

namespace halocline::diffusion {
namespace {

// Windows of `length` cells over an axis, as few as can be for halos of `depth`; none fit: count 0.
Cut cut_axis(Index cells, Index length, Index depth, bool ring) {
  Cut cut{cells, length, 0, depth, ring};
  if (cells < length) return cut;
  if (ring) {
    const Index useful = length - 2 * depth;
    if (useful > 0) cut.count = (cells + useful - 1) / useful;
    if (cut.count > 0 && cells / cut.count < depth) cut.count = 0;
    return cut;
  }
  if (cells == length) return cut.count = 1, cut;
  const Index more = length - 2 * depth - 1;
  cut.count = more > 0 ? std::max<Index>(2, (cells - 2 * depth - 1 + more - 1) / more) : 0;
  if (cut.count > 2 && (cells - length) / (cut.count - 1) <= depth) cut.count = 0;
  return cut;
}

// Shapes of windows: columns per lane, rows per warp, warps.
template <int C_, int H_, int Warps_>
struct Shape {
  static constexpr int C = C_, H = H_, Warps = Warps_, width = 32 * C, height = H * Warps;
};
constexpr int shapes = 3;
template <class F>
void with_shape(int n, const F& f) {
  if (n == 0) return f(Shape<6, 7, 8>{});
  if (n == 1) return f(Shape<4, 4, 8>{});
  return f(Shape<2, 4, 8>{});
}
template <class F>
bool with_mask(MaskKind kind, const F& f) {
  if (kind == MaskKind::star5) return f(Kind<MaskKind::star5>{}), true;
  if (kind == MaskKind::box9) return f(Kind<MaskKind::box9>{}), true;
  return false;
}

template <MaskKind K, class T, class S>
constexpr std::size_t shared_bytes = sizeof(typename Resident<K, T, S::C, S::H, S::Warps>::Shared);

template <MaskKind K, class T, class S>
void start(const Executor& executor, const ConvolveBlock<T>& b, const ConvolveMask<T>& m, int steps, Index depth) {
  const auto kernel = resident_kernel<K, T, S::C, S::H, S::Warps>;
  const auto ring = [&](int axis) { return b.walls[axis][0].kind == WallKind::periodic; };
  Windows w{cut_axis(b.extent[0], S::width, depth, ring(0)), cut_axis(b.extent[1], S::height, depth, ring(1)), steps,
            static_cast<int>((steps + depth - 1) / depth)};
  const Index blocks = w.x.count * w.y.count;
  require(blocks > 0, "resident: a plan for another part");
#if defined(__CUDACC__)
  const auto& cuda = static_cast<const CudaExecutor&>(executor);
  const std::lock_guard lock(cuda.scratch_mutex());
  const std::size_t bytes = static_cast<std::size_t>(blocks) * sizeof(unsigned);
  w.flags = static_cast<unsigned*>(cuda.scratch(bytes).device);
  detail::check_call(executor, "convolve resident",
                     cudaMemsetAsync(w.flags, 0, bytes, static_cast<cudaStream_t>(executor.native(Queue::compute))));
#endif
  launch_resident(executor, {"convolve resident", bytes_of(b, {0, b.slow_extent()}, 2)},
                  {{static_cast<unsigned>(blocks)}, {32 * S::Warps}, shared_bytes<K, T, S>}, kernel, b, m, w);
}

// Microseconds per step, roughly, as measured on an H200: cells of a scheduler, barrier of a block, exchange.
double cost(int cells, Index depth) { return 0.3 + 0.0105 * cells + 2.2 / static_cast<double>(depth); }

// The deepest halo with which windows of a shape cover a part, whether it is periodic along x or not.
template <class S>
Index deepest(const PlanePart& part, Index most_blocks) {
  for (Index depth = 8; depth > 0; --depth) {
    const Index y = cut_axis(part.ny, S::height, depth, false).count;
    const Index x = cut_axis(part.nx, S::width, depth, false).count,
                ring = cut_axis(part.nx, S::width, depth, true).count;
    if (x > 0 && y > 0 && ring > 0 && std::max(x, ring) * y <= most_blocks) return depth;
  }
  return 0;
}

}  // namespace

template <class T>
ResidentPlan plan_resident(const Executor& executor, const PlanePart& part) {
  ResidentPlan plan;
  if (!runs_block_kernels(executor) || part.dimensions != 2) return plan;
  double best = 1e30;
  with_mask(part.kind, [&](auto kind) {
    constexpr MaskKind K = decltype(kind)::value;
    for (int n = 0; n < shapes; ++n)
      with_shape(n, [&](auto shape) {
        using S = decltype(shape);
        const auto kernel = resident_kernel<K, T, S::C, S::H, S::Warps>;
        const Index depth = deepest<S>(
            part, resident_blocks(executor, "convolve resident", 32 * S::Warps, shared_bytes<K, T, S>, kernel));
        const double time = depth > 0 ? cost(S::C * S::H * S::Warps / 4, depth) : best;
        if (time < best) best = time, plan = {true, n, static_cast<int>(depth)};
      });
  });
  return plan;
}

template <class T>
void resident(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
              const ResidentPlan& plan) {
  const bool known = with_mask(mask.kind, [&](auto kind) {
    with_shape(plan.shape, [&](auto shape) {
      start<decltype(kind)::value, T, decltype(shape)>(executor, block, mask, steps, plan.depth);
    });
  });
  require(known && plan.applies, "resident: a mask without code");
}

template ResidentPlan plan_resident<double>(const Executor&, const PlanePart&);
template ResidentPlan plan_resident<float>(const Executor&, const PlanePart&);
template void resident<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, int,
                               const ResidentPlan&);
template void resident<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, int,
                              const ResidentPlan&);

}  // namespace halocline::diffusion
