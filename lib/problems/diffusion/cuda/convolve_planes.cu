// Explicit steps in space, one per pass over memory. A thread owns a column of cells and passes its planes; what it has
// read around one it keeps in registers for the next, so that a cell of the mask is read once, most of them from the
// first cache.
#include <algorithm>

#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"

namespace halocline::diffusion {
namespace {

constexpr int tile_x = 32, tile_y = 8;
constexpr Index blocks_wanted = 16;  // of a multiprocessor
constexpr int planes_ahead = 2;      // prefetched
constexpr Index most_planes = 32;    // that a block passes, as long as there are

template <MaskKind K>
constexpr int reach_of = K == MaskKind::cross13 ? 2 : 1;

// Whether the mask asks for a cell at this distance.
template <MaskKind K>
__device__ constexpr bool asks_for(int dz, int dy, int dx) {
  const int axes = (dz != 0) + (dy != 0) + (dx != 0);
  return axes <= (K == MaskKind::box27 || K == MaskKind::general ? 3 : K == MaskKind::box19 ? 2 : 1);
}

// The cells around one of a column.
template <MaskKind K, class T>
struct Window {
  static constexpr int reach = reach_of<K>, width = 2 * reach + 1;
  T values[width][width][width];  // z, y, x

  __device__ __forceinline__ T& at(int dz, int dy, int dx) { return values[dz + reach][dy + reach][dx + reach]; }

  // Whether it was a plane higher around the cell below.
  static __device__ constexpr bool was_above(int dz, int dy, int dx) {
    return dz < reach && asks_for<K>(dz + 1, dy, dx);
  }

  // f(dz, dy, dx) for all cells that the mask asks for, lower planes first.
  template <class F>
  static __device__ __forceinline__ void each(const F& f) {
#pragma unroll
    for (int dz = -reach; dz <= reach; ++dz)
#pragma unroll
      for (int dy = -reach; dy <= reach; ++dy)
#pragma unroll
        for (int dx = -reach; dx <= reach; ++dx)
          if (asks_for<K>(dz, dy, dx)) f(dz, dy, dx);
  }
  // Before the first cell: what the one below it would have left.
  __device__ __forceinline__ void start(const T* c, Index pitch, Index plane) {
    each([&](int dz, int dy, int dx) {
      if (was_above(dz, dy, dx)) at(dz + 1, dy, dx) = c[dz * plane + dy * pitch + dx];
    });
  }
  // From the cell below to the one at `c`.
  __device__ __forceinline__ void rise(const T* c, Index pitch, Index plane) {
    each([&](int dz, int dy, int dx) {
      at(dz, dy, dx) = was_above(dz, dy, dx) ? at(dz + 1, dy, dx) : c[dz * plane + dy * pitch + dx];
    });
  }
};

// Radius of masks of kind `general` that there is code for.
struct Ones {
  __device__ constexpr int operator[](int) const { return 1; }
};

template <MaskKind K, class T>
__global__ void __launch_bounds__(tile_x* tile_y)
    pass_columns(ConvolveBlock<T> b, ConvolveMask<T> m, Range<3> box, Index planes) {
  const Index x = static_cast<Index>(blockIdx.x) * tile_x + threadIdx.x;
  const Index y = box.lo[1] + static_cast<Index>(blockIdx.y) * tile_y + threadIdx.y;
  if (x < box.lo[2] || x >= box.hi[2] || y >= box.hi[1]) return;
  const Index begin = box.lo[0] + static_cast<Index>(blockIdx.z) * planes;
  const Index end = begin + planes < box.hi[0] ? begin + planes : box.hi[0];
  Window<K, T> window;
  Index place = b.offset(begin, y, x);
  window.start(b.c + place, b.pitch, b.plane);
  for (Index z = begin; z < end; ++z, place += b.plane) {
    if (z + planes_ahead < end) prefetch(b.c + place + (reach_of<K> + planes_ahead) * b.plane);
    window.rise(b.c + place, b.pitch, b.plane);
    const auto at = [&](int dz, int dy, int dx) { return window.at(dz, dy, dx); };
    if constexpr (K == MaskKind::general) {
      b.next[place] = add_weighted(m, m.k, Ones{}, at);
    } else {
      b.next[place] = update<K>(m, at);
    }
  }
}

unsigned pieces(Index count, Index of) { return static_cast<unsigned>((count + of - 1) / of); }

// f(Kind<K>) for the masks that there is code for; whether it is one.
template <class F>
bool for_mask(MaskKind kind, const F& f) {
  switch (kind) {
    case MaskKind::box19:
      return f(Kind<MaskKind::box19>{}), true;
    case MaskKind::box27:
      return f(Kind<MaskKind::box27>{}), true;
    case MaskKind::cross13:
      return f(Kind<MaskKind::cross13>{}), true;
    case MaskKind::general:
      return f(Kind<MaskKind::general>{}), true;
    default:
      return false;
  }
}

}  // namespace

template <class T>
bool plan_planes(const Executor& executor, const ConvolveBlock<T>& b, const ConvolveMask<T>& m) {
  if (!runs_block_kernels(executor) || b.dimensions != 3) return false;
  if (m.kind == MaskKind::general && (m.radius[0] != 1 || m.radius[1] != 1 || m.radius[2] != 1)) return false;
  return for_mask(m.kind, [](auto) {});
}

template <class T>
void pass_planes(const Executor& executor, const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const Range<3>& box) {
  if (box.size() == 0) return;
  const unsigned x = pieces(box.hi[2], tile_x), y = pieces(box.extent(1), tile_y);
  const Index wanted = blocks_wanted * block_limits(executor).multiprocessors, all = box.extent(0);
  const Label label{"fused step", 2.0 * sizeof(T) * static_cast<double>(box.size())};
  const bool known = for_mask(m.kind, [&](auto kind) {
    constexpr MaskKind K = decltype(kind)::value;
    const Index planes = std::clamp<Index>(all * x * y / wanted, 4, most_planes);
    launch_blocks(executor, label, {{x, y, pieces(all, planes)}, {tile_x, tile_y}}, pass_columns<K, T>, b, m, box,
                  planes);
  });
  require(known, "pass_planes: a mask without code");
}

template bool plan_planes<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&);
template bool plan_planes<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&);
template void pass_planes<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&,
                                  const Range<3>&);
template void pass_planes<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&,
                                 const Range<3>&);

}  // namespace halocline::diffusion
