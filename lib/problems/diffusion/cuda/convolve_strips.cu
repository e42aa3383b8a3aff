// Explicit steps on a plane, several per pass over memory. A warp owns a strip of columns, four to a lane, and walks up
// it: every step of the pass keeps its last rows in registers, neighbors along x come by shuffles, so nothing but the
// old and the new state touches memory and no warp waits for another. Rows beyond walls across y are made where a strip
// comes to them, but for wide masks and held cells; these, and cells near walls across x: convolve_walls.hpp.
#include <algorithm>
#include <type_traits>

#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/cuda/convolve_walls.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"
#include "lib/problems/diffusion/cuda/strip_cut.hpp"

namespace halocline::diffusion {
namespace {

constexpr int strip_threads = 128;
constexpr unsigned all_lanes = 0xffffffffu;

template <class T>
struct alignas(16) Vector {
  T v[16 / sizeof(T)];
};

__device__ inline Index lesser(Index a, Index b) { return a < b ? a : b; }

template <MaskKind K>
constexpr bool with_corners = K == MaskKind::box9 || K == MaskKind::box9_xy;
template <MaskKind K>
constexpr int radius_of = K == MaskKind::cross9 ? 2 : 1;

// The columns of one thread.
template <MaskKind K, class T>
struct Lane {
  static constexpr int radius = radius_of<K>, kept = with_corners<K> ? per_lane + 2 * radius : per_lane;
  static constexpr int shift = with_corners<K> ? radius : 0, wide = 16 / sizeof(T);
  const ConvolveBlock<T>& b;
  const ConvolveMask<T>& m;
  int lane;
  Index column;      // first of the thread, may lie beyond a periodic side
  bool wraps;        // some columns of the strip do
  Index own0, own1;  // columns that the strip is to compute

  // Rows pass to and from memory through shared memory, so that lanes in a row touch places in a row: vector
  // `part * 32 + lane` of the strip.
  static constexpr int parts = per_lane / wide;
  __device__ Index column_of(int part) const { return column + (part * 32 + lane) * wide - lane * per_lane; }

  // Starts the copy of a row into a row of the ring.
  __device__ void fetch(Index row, Vector<T>* to) const {
    const T* line = b.c + inside(b, 1, row) * b.pitch;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      Vector<T>* place = to + part * 32 + lane;
      if (wraps) {
#pragma unroll
        for (int i = 0; i < wide; ++i)
          __pipeline_memcpy_async(&place->v[i], line + inside(b, 0, column_of(part) + i), sizeof(T));
      } else {
        __pipeline_memcpy_async(place, line + column_of(part), 16);
      }
    }
  }
  __device__ void take(const Vector<T>* from, T (&row)[per_lane]) const {
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const Vector<T> vector = from[lane * parts + part];
#pragma unroll
      for (int i = 0; i < wide; ++i) row[part * wide + i] = vector.v[i];
    }
  }
  __device__ void store(Index row, const T (&out)[per_lane], Vector<T>* through) const {
    if constexpr (parts > 1) {
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        Vector<T> vector;
#pragma unroll
        for (int i = 0; i < wide; ++i) vector.v[i] = out[part * wide + i];
        through[lane * parts + part] = vector;
      }
      __syncwarp();
    }
    T* line = b.next + row * b.pitch;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      Vector<T> vector;
      if constexpr (parts > 1) {
        vector = through[part * 32 + lane];
      } else {
#pragma unroll
        for (int i = 0; i < wide; ++i) vector.v[i] = out[i];
      }
      const Index first = column_of(part);
      if (first >= own0 && first + wide <= own1) {
        *reinterpret_cast<Vector<T>*>(line + first) = vector;
      } else {
#pragma unroll
        for (int i = 0; i < wide; ++i)
          if (first + i >= own0 && first + i < own1) line[first + i] = vector.v[i];
      }
    }
  }

  // A row with `radius` values of the neighboring lanes on either side.
  __device__ static void widen(const T (&in)[per_lane], T (&out)[per_lane + 2 * radius]) {
#pragma unroll
    for (int e = 0; e < per_lane; ++e) out[radius + e] = in[e];
#pragma unroll
    for (int k = 0; k < radius; ++k) {
      out[k] = __shfl_up_sync(all_lanes, in[per_lane - radius + k], 1);
      out[radius + per_lane + k] = __shfl_down_sync(all_lanes, in[k], 1);
    }
  }

  // One step: `last` are the rows y - 2 radius to y - 1, `row` is row y; `row` becomes row y - radius of the next step.
  __device__ void advance(T (&last)[2 * radius][kept], T (&row)[per_lane]) const {
    T middle[per_lane + 2 * radius], newest[kept];
    if constexpr (with_corners<K>) {
      widen(row, newest);
    } else {
      widen(last[radius], middle);
#pragma unroll
      for (int e = 0; e < per_lane; ++e) newest[e] = row[e];
    }
#pragma unroll
    for (int e = 0; e < per_lane; ++e)
      row[e] = update<K>(m, [&](int, int dy, int dx) -> T {
        if (!with_corners<K> && dy == 0) return middle[radius + e + dx];
        return dy == radius ? newest[shift + e + dx] : last[radius + dy][shift + e + dx];
      });
#pragma unroll
    for (int e = 0; e < kept; ++e) {
#pragma unroll
      for (int k = 0; k + 1 < 2 * radius; ++k) last[k][e] = last[k + 1][e];
      last[2 * radius - 1][e] = newest[e];
    }
  }
};

// Walls across y that a strip comes to, for masks of radius 1.
template <MaskKind K, class T>
struct RowWalls {
  const Lane<K, T>& lane;
  const Pass& pass;
  unsigned sides;  // bits: rows beyond the low wall and the high one are needed; what they let in is recorded
  __device__ bool needs(int side) const { return (sides >> side & 1u) != 0; }
  __device__ bool keeps(int side) const { return (sides >> (2 + side) & 1u) != 0; }

  // The row beyond a wall, from the row inside, before a step.
  __device__ void beyond(int side, int step, const T (&inner)[per_lane], T (&ghost)[per_lane]) const {
    const WallRule<T>& wall = lane.b.walls[1][side];
    const T* beta = wall.beta + (pass.level + step) * wall.beta_level;
    const Index fringe = lane.b.fringe, n = lane.b.extent[0];
#pragma unroll
    for (int e = 0; e < per_lane; ++e) {
      Index x = inside(lane.b, 0, lane.column + e);
      if (fringe > 0) x = x < -fringe ? -fringe : lesser(x, n + fringe - 1);  // tables end there
      ghost[e] = fma(wall.alpha[x], inner[e], beta[x]);
    }
    if (!keeps(side)) return;
    T wide[per_lane + 2 * radius_of<K>];
    Lane<K, T>::widen(ghost, wide);
    const T* weights = lane.m.weights + 6 * side;
#pragma unroll
    for (int e = 0; e < per_lane; ++e) {
      const Index x = lane.column + e;
      if (x < lane.own0 || x >= lane.own1 || x < 0 || x >= n) continue;
      double gain = 0;
      const double c = inner[e];
      for (int k = 0; k < 3; ++k)
        if (weights[k] != 0) gain = fma(double(weights[k]), double(wide[e + k]) - c, gain);
      add_uptake(wall, x, gain);
    }
  }
  // Row y comes to a step: `row`; `last`: those before it.
  __device__ void meet(int step, Index y, T (&last)[2 * radius_of<K>][Lane<K, T>::kept], T (&row)[per_lane]) const {
    if (needs(0) && y == 0) {
      T ghost[per_lane];
      beyond(0, step, row, ghost);
      if constexpr (with_corners<K>) {
        Lane<K, T>::widen(ghost, last[1]);
      } else {
#pragma unroll
        for (int e = 0; e < per_lane; ++e) last[1][e] = ghost[e];
      }
    }
    if (needs(1) && y == lane.b.extent[1]) {
      T inner[per_lane];
#pragma unroll
      for (int e = 0; e < per_lane; ++e) inner[e] = last[1][Lane<K, T>::shift + e];
      beyond(1, step, inner, row);
    }
  }
};

// Rows [lo, hi) of a strip: rows come in at the top and leave radius * S later, S steps further. They are copied to
// shared memory `depth` rows ahead. To: whether the strip comes to walls.
template <bool To, MaskKind K, class T, int S, int Depth>
__device__ void walk(const Lane<K, T>& lane, const RowWalls<K, T>& walls, int lo, int hi, Vector<T>* ring) {
  constexpr int reach = radius_of<K> * S, row_places = strip_width * sizeof(T) / 16;
  T last[S][2 * radius_of<K>][Lane<K, T>::kept] = {};
  const int end = hi + reach, rows = static_cast<int>(lane.b.extent[1]), to_read = To && walls.needs(1) ? rows : end;
  int y = To && walls.needs(0) ? 0 : lo - reach, ahead = y;
  int fill = 0, slot = 0;
  const auto fetch_one = [&] {
    __syncwarp();  // its place has been read
    if (ahead < to_read) lane.fetch(ahead, ring + fill * row_places);
    __pipeline_commit();
    ++ahead, fill = (fill + 1) % Depth;
  };
  for (int n = 0; n < Depth - 1; ++n) fetch_one();
  const auto rise = [&](auto at_walls) {
    fetch_one();
    __pipeline_wait_prior(Depth - 1);
    __syncwarp();
    T row[per_lane];
    lane.take(ring + slot * row_places, row);
    slot = (slot + 1) % Depth;
#pragma unroll
    for (int s = 0; s < S; ++s) {
      if constexpr (decltype(at_walls)::value) walls.meet(s, y - s, last[s], row);
      lane.advance(last[s], row);
    }
    if (y >= lo + reach) lane.store(y - reach, row, ring + Depth * row_places);
    ++y;
  };
  // Only the first rows come to the low wall, only those behind the last to the high one.
  if (To && walls.needs(0))
#pragma unroll 1
    while (y < reach) rise(std::bool_constant<To>{});
#pragma unroll 2
  while (y < to_read) rise(std::false_type{});
#pragma unroll 1
  while (To && y < end) rise(std::bool_constant<To>{});
}

// How a kernel is built: rows on their way, least blocks on a multiprocessor.
template <MaskKind K, class T, int S>
struct Tuning {
  static constexpr int depth = S == 1 ? 4 : 8, blocks = S == 1 ? 6 : sizeof(T) == 4 ? 3 : 2;
};

template <MaskKind K, class T, int S>
__global__ void __launch_bounds__(strip_threads, Tuning<K, T, S>::blocks)
    strip_kernel(ConvolveBlock<T> b, ConvolveMask<T> m, Pass pass, Frame frame, Strips strips) {
  if (blockIdx.x < frame.tiles) {
    compute_frame_tile<K>(b, m, pass, frame, blockIdx.x);
    return;
  }
  const int warp_of_block = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const Index warp = (blockIdx.x - frame.tiles) * (strip_threads / 32) + warp_of_block;
  if (warp >= strips.count * strips.chunks) return;
  const Index strip = warp % strips.count, chunk = warp / strips.count;
  Index first = strips.first + strip * (strip_width - 2 * strips.margin);
  const Index own0 = first + strips.margin;
  if (!strips.ring && strip == strips.count - 1) first = strips.last;
  const Index own1 = lesser(first + strip_width - strips.margin, frame.inner.x1);
  const Index column = first + lane * per_lane;
  const bool wraps = strips.ring && (first < 0 || first + strip_width > b.extent[0]);
  const Index lo = frame.inner.y0 + chunk * strips.chunk_rows, hi = lesser(lo + strips.chunk_rows, frame.inner.y1);
  constexpr int depth = Tuning<K, T, S>::depth, row_places = strip_width * sizeof(T) / 16;
  const Lane<K, T> columns{b, m, lane, column, wraps, own0, own1};
  unsigned sides = 0;
  for (int side = 0; side < 2 && strips.to_walls; ++side) {
    if (!affine(b, 1, side)) continue;
    const Index from_wall = side == 0 ? lo : b.extent[1] - hi;
    if (from_wall < radius_of<K> * S) sides |= 1u << side;
    const bool own = side == 0 ? pass.own.lo == 0 : pass.own.hi == b.extent[1];
    if (from_wall == 0 && own && b.walls[1][side].uptake) sides |= 4u << side;
  }
  Vector<T>* ring = dynamic_shared<Vector<T>>() + warp_of_block * (depth + 1) * row_places;
  const RowWalls<K, T> walls{columns, pass, sides};
  if (sides == 0) {
    walk<false, K, T, S, depth>(columns, walls, static_cast<int>(lo), static_cast<int>(hi), ring);
  } else if constexpr (radius_of<K> == 1) {
    walk<true, K, T, S, depth>(columns, walls, static_cast<int>(lo), static_cast<int>(hi), ring);
  }
}

template <MaskKind K, int S, class T>
void start_pass(const Executor& executor, const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const Pass& pass) {
  constexpr Index round = strip_round;
  bool held = false;
  for (int n = 0; n < 4; ++n) held = held || b.walls[n / 2][n % 2].fixed;
  // Tiles at short walls run beside the strips all at once.
  const bool to_walls = radius_of<K> == 1 && !b.walls[1][0].fixed && !b.walls[1][1].fixed &&
                        b.extent[0] > 24 * block_limits(executor).multiprocessors;
  const Index reach = radius_of<K> * S, margin = (reach + round - 1) / round * round, nx = b.extent[0];
  const Index left = held ? (reach + round) / round * round : margin;
  // First columns of the first and last strip between walls.
  const Index first = left - margin, last = (nx - strip_width - first) / round * round;
  Frame frame = make_frame(b, pass, reach + held, left, nx - (last + strip_width - margin), !to_walls);
  const bool around = b.walls[0][0].kind == WallKind::periodic, open = b.walls[0][1].kind == WallKind::open;
  Strips strips = cut_strips(frame.inner.x0, frame.inner.x1, nx + (open ? margin : 0), margin, around);
  strips.to_walls = to_walls;
  const std::size_t ring = (Tuning<K, T, S>::depth + 1) * strip_threads * per_lane;
  const std::size_t shared = std::max<std::size_t>(ring, 2 * static_cast<std::size_t>(frame.window)) * sizeof(T);
  const auto kernel = strip_kernel<K, T, S>;
  const Index warps = strip_threads / 32 * resident_blocks(executor, "convolve strips", strip_threads, shared, kernel);
  const Index rows = frame.inner.y1 - frame.inner.y0;
  strips.chunks = strip_chunks(strips.count, rows, std::max<Index>(1, warps), reach);
  strips.chunk_rows = (rows + strips.chunks - 1) / strips.chunks;
  if (rows > 0) strips.chunks = (rows + strips.chunk_rows - 1) / strips.chunk_rows;  // none without rows
  const Index blocks = rows == 0 ? 0 : (strips.count * strips.chunks + strip_threads / 32 - 1) / (strip_threads / 32);
  const Label label{"convolve strips", bytes_of_box(b, pass.cells, 2)};
  launch_blocks(executor, label, {{static_cast<unsigned>(frame.tiles + blocks)}, {strip_threads}, shared}, kernel, b, m,
                pass, frame, strips);
}

// Steps of a pass that there is code for.
template <MaskKind K>
struct PassSteps {
  static constexpr int list[] = {8, 4, 1};
};
template <>
struct PassSteps<MaskKind::box9> {
  static constexpr int list[] = {5, 2, 1};
};
template <>
struct PassSteps<MaskKind::box9_xy> : PassSteps<MaskKind::box9> {};
template <>
struct PassSteps<MaskKind::cross9> {
  static constexpr int list[] = {4, 2, 1};
};

// f(Kind<K>) for the masks that there is code for; whether it is one.
template <class F>
bool for_mask(MaskKind kind, const F& f) {
  switch (kind) {
    case MaskKind::star5:
      return f(Kind<MaskKind::star5>{}), true;
    case MaskKind::star5_xy:
      return f(Kind<MaskKind::star5_xy>{}), true;
    case MaskKind::box9:
      return f(Kind<MaskKind::box9>{}), true;
    case MaskKind::box9_xy:
      return f(Kind<MaskKind::box9_xy>{}), true;
    case MaskKind::cross9:
      return f(Kind<MaskKind::cross9>{}), true;
    default:
      return false;
  }
}

// Steps of the next pass when `left` remain.
template <MaskKind K>
int next_pass(int left, int limit) {
  const auto& list = PassSteps<K>::list;
  return *std::find_if(std::begin(list), std::end(list), [&](int steps) { return steps <= std::min(left, limit); });
}

}  // namespace

StripPlan plan_strips(const Executor& executor, const PlanePart& part) {
  StripPlan plan;
  if (!runs_block_kernels(executor) || part.dimensions != 2 || part.nx < strip_width + 8) return plan;
  for_mask(part.kind, [&](auto kind) { plan.most = PassSteps<decltype(kind)::value>::list[0]; });
  return plan;
}

int strip_passes(MaskKind kind, int steps, int limit) {
  int passes = 0;
  for_mask(kind, [&](auto k) {
    for (int left = steps; left > 0; ++passes) left -= next_pass<decltype(k)::value>(left, limit);
  });
  return passes;
}

template <class T>
void pass_strips(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
                 int limit, const SlabBox& cells) {
  ConvolveBlock<T> b = block;
  const bool known = for_mask(mask.kind, [&](auto kind) {
    constexpr MaskKind K = decltype(kind)::value;
    constexpr auto& list = PassSteps<K>::list;
    for (int level = 0; level < steps;) {
      const int now = next_pass<K>(steps - level, limit);
      const Pass pass{box_of_level(b, mask.radius, cells, level + now - 1, steps), cells.rows, level, now};
      now == list[0]   ? start_pass<K, list[0]>(executor, b, mask, pass)
      : now == list[1] ? start_pass<K, list[1]>(executor, b, mask, pass)
                       : start_pass<K, list[2]>(executor, b, mask, pass);
      level += now;
      std::swap(b.c, b.next);
    }
  });
  require(known, "pass_strips: a mask without code");
}

template void pass_strips<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, int, int,
                                  const SlabBox&);
template void pass_strips<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, int, int,
                                 const SlabBox&);

}  // namespace halocline::diffusion
