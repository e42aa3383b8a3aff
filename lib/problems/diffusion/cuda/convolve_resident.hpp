// Explicit steps on a plane that stays on the chip: one block per multiprocessor keeps a window of cells in registers
// for the whole launch. Rows pass between the warps of a block through shared memory every step; between blocks the
// outermost cells of their tiles pass through the L2 cache every few steps, and a block waits for its neighbors only.
//
// A window is `width` columns and `height` rows; windows overlap, and every block computes what lies within `depth`
// cells of its own tile again. Walls: windows at affine walls end there.
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {
namespace {

constexpr unsigned every_lane = 0xffffffffu;

// How one axis is cut: windows of `length` cells, `count` of them over `cells`.
struct Cut {
  Index cells = 0, length = 0, count = 0, depth = 0;
  bool ring = false;
  HALOCLINE_HD Index start(Index k) const {
    return ring ? k * cells / count - depth : count == 1 ? 0 : k * (cells - length) / (count - 1);
  }
  // First cell of tile k; tile k ends where tile k + 1 begins.
  HALOCLINE_HD Index tile(Index k) const {
    if (ring) return k * cells / count;
    return k == 0 ? 0 : k == count ? cells : (start(k - 1) + length + start(k)) / 2;
  }
  HALOCLINE_HD Index inside(Index i) const { return !ring ? i : i < 0 ? i + cells : i >= cells ? i - cells : i; }
};

struct Windows {
  Cut x, y;
  int steps = 0, epochs = 0;
  unsigned* flags = nullptr;  // of the blocks: exchanges they have written
};

// What a block knows of one wall, by position along its window (one more at either end).
template <class T>
struct alignas(2 * sizeof(T)) Ghost {
  T alpha, beta;
};
template <class T, int N>
struct WallTable {
  Ghost<T> ghost[N + 2];
  T fixed[N + 2];
  double uptake[N + 2], carry[N + 2];
};

template <class T, int Width, int Height, int Warps>
struct Tables {
  T edge[2][Warps][2][Width];  // first and last row of every warp, of this step and the next
  WallTable<T, Height> x[2];
  WallTable<T, Width> y[2];
};

#if defined(__CUDACC__)
__device__ inline void publish(unsigned* flag, unsigned value) {
  __threadfence();
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ inline void await(const unsigned* flag, unsigned value) {
  unsigned seen = 0;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen < value);
}
template <class T>
__device__ inline T load_shared_by_blocks(const T* place) {
  return __ldcg(place);
}
#else
template <class T>
T load_shared_by_blocks(const T* place) {
  return *place;
}
#endif

template <MaskKind K, class T, int C, int H, int Warps>
struct Resident {
  static constexpr bool corners = K == MaskKind::box9 || K == MaskKind::box9_xy;
  static constexpr int width = 32 * C, height = H * Warps;
  using Shared = Tables<T, width, height, Warps>;

  const ConvolveBlock<T>& b;
  const ConvolveMask<T>& m;
  const Windows& windows;
  Shared& shared;
  int bx, by;  // of the block
  int lane, warp;
  bool wall[2][2];  // this thread's cells touch it: [axis][side]
  // Bits of the thread's columns and of the warp's rows: of its own tile, near its rim, around it.
  unsigned own_x, rim_x, near_x, own_y, rim_y, near_y;
  Index first;         // offset of the thread's first cell
  int turn_x, turn_y;  // cells from here on lie beyond a periodic side
  int side;            // the wall across x that this half of the warp may touch, and whether this thread does
  bool at_side;

  __device__ Resident(const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, const Windows& w, Shared& tables)
      : b(block), m(mask), windows(w), shared(tables) {
    bx = static_cast<int>(blockIdx.x) % static_cast<int>(w.x.count);
    by = static_cast<int>(blockIdx.x) / static_cast<int>(w.x.count);
    lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    for (int high = 0; high < 2; ++high) {
      wall[0][high] = at_wall(0, high) && lane == (high == 0 ? 0 : 31);
      wall[1][high] = at_wall(1, high) && warp == (high == 0 ? 0 : Warps - 1);
    }
    side = lane < 16 ? (at_wall(0, 0) ? 0 : 1) : (at_wall(0, 1) ? 1 : 0);
    at_side = lane == (side == 0 ? 0 : 31);
    place(w.x, bx, lane * C, C, own_x, rim_x, near_x, turn_x);
    place(w.y, by, warp * H, H, own_y, rim_y, near_y, turn_y);
    first = w.y.inside(w.y.start(by) + warp * H) * b.pitch + w.x.inside(w.x.start(bx) + lane * C);
  }
  __device__ static void place(const Cut& cut, int block, int offset, int count, unsigned& own, unsigned& rim,
                               unsigned& around, int& turn) {
    const Index from = cut.start(block) + offset, lo = cut.tile(block), hi = cut.tile(block + 1), d = cut.depth;
    own = rim = around = 0;
    for (int n = 0; n < count; ++n) {
      const Index p = from + n;
      if (p >= lo && p < hi) own |= 1u << n;
      if (p >= lo && p < hi && (p < lo + d || p >= hi - d)) rim |= 1u << n;
      if (p >= lo - d && p < hi + d) around |= 1u << n;
    }
    const Index border = from < 0 ? 0 : cut.cells;
    turn = cut.ring && from < border && from + count > border ? static_cast<int>(border - from) : count;
  }
  __device__ bool at_wall(int axis, int high) const {
    const Cut& cut = axis == 0 ? windows.x : windows.y;
    return !cut.ring && (axis == 0 ? bx : by) == (high == 0 ? 0 : cut.count - 1);
  }
  // f(cell, its offset in memory) for the cells whose bits are set in bits(h).
  template <class Bits, class F>
  __device__ void for_cells(const Bits& bits, const F& f) const {
#pragma unroll
    for (int h = 0; h < H; ++h) {
      const unsigned chosen = bits(h);
      const Index row = first + h * b.pitch - (h >= turn_y ? windows.y.cells * b.pitch : 0);
      if (turn_x == C) {
#pragma unroll
        for (int e = 0; e < C; ++e)
          if (chosen >> e & 1u) f(h, e, row + e);
      } else {
#pragma unroll
        for (int e = 0; e < C; ++e)
          if (chosen >> e & 1u) f(h, e, row + e - (e >= turn_x ? windows.x.cells : 0));
      }
    }
  }

  template <int N>
  __device__ void read_wall(const WallRule<T>& rule, const Cut& along, Index k, WallTable<T, N>& table) const {
    for (int n = static_cast<int>(threadIdx.x); n < N + 2; n += 32 * Warps) {
      const Index p = along.inside(along.start(k) + n - 1);
      table.ghost[n] = {rule.alpha[p], rule.beta[p]};
      if (n == 0 || n == N + 1) continue;
      if (rule.fixed) table.fixed[n] = rule.fixed[p];
      if (rule.uptake) table.uptake[n] = rule.uptake[p], table.carry[n] = rule.carry[p];
    }
  }
  __device__ void read_walls() const {
    for (int side = 0; side < 2; ++side) {
      if (at_wall(0, side)) read_wall(b.walls[0][side], windows.y, by, shared.x[side]);
      if (at_wall(1, side)) read_wall(b.walls[1][side], windows.x, bx, shared.y[side]);
    }
  }
  template <int N>
  __device__ void write_wall(const WallRule<T>& rule, Index first, Index lo, Index hi,
                             const WallTable<T, N>& table) const {
    if (!rule.uptake) return;
    for (Index p = lo + static_cast<int>(threadIdx.x); p < hi; p += 32 * Warps)
      rule.uptake[p] = table.uptake[p - first + 1], rule.carry[p] = table.carry[p - first + 1];
  }
  __device__ void write_walls() const {
    const Cut &cx = windows.x, &cy = windows.y;
    for (int side = 0; side < 2; ++side) {
      if (at_wall(0, side)) write_wall(b.walls[0][side], cy.start(by), cy.tile(by), cy.tile(by + 1), shared.x[side]);
      if (at_wall(1, side)) write_wall(b.walls[1][side], cx.start(bx), cx.tile(bx), cx.tile(bx + 1), shared.y[side]);
    }
  }

  // First cells of walls take their held values.
  template <bool WallsX>
  __device__ void hold(T (&v)[H][C]) const {
#pragma unroll
    for (int high = 0; high < 2; ++high)
      if (wall[1][high] && b.walls[1][high].fixed)
#pragma unroll
        for (int e = 0; e < C; ++e) {
          T& cell = v[high == 0 ? 0 : H - 1][e];
          cell = kept(shared.y[high].fixed[lane * C + e + 1], cell);
        }
    if (WallsX && b.walls[0][side].fixed)
#pragma unroll
      for (int h = 0; h < H; ++h) {
        const T value = shared.x[side].fixed[warp * H + h + 1];
        const bool here = at_side && value == value;
        v[h][0] = here && side == 0 ? value : v[h][0];
        v[h][C - 1] = here && side == 1 ? value : v[h][C - 1];
      }
  }
  __device__ static T kept(T value, T free) { return value == value ? value : free; }

  // A row with its neighbors in x; `n` is its place in the window.
  template <bool WallsX>
  __device__ void widen(const T (&row)[C], int n, T (&wide)[C + 2]) const {
#pragma unroll
    for (int e = 0; e < C; ++e) wide[e + 1] = row[e];
    wide[0] = __shfl_up_sync(every_lane, row[C - 1], 1);
    wide[C + 1] = __shfl_down_sync(every_lane, row[0], 1);
    if constexpr (WallsX) {
      const Ghost<T> rule = shared.x[side].ghost[n + 1];
      const T ghost = fma(rule.alpha, side == 0 ? row[0] : row[C - 1], rule.beta);
      wide[0] = at_side && side == 0 ? ghost : wide[0];
      wide[C + 1] = at_side && side == 1 ? ghost : wide[C + 1];
    }
  }
  __device__ void ghost_row(int high, const T (&wide)[C + 2], T (&ghost)[C + 2]) const {
#pragma unroll
    for (int e = 0; e < C + 2; ++e) {
      const Ghost<T> rule = shared.y[high].ghost[lane * C + e];
      ghost[e] = fma(rule.alpha, wide[e], rule.beta);
    }
  }

  // What the cell in the middle of `at` gains through a wall: the terms of record_uptake() in its order.
  template <class At>
  __device__ void record(int axis, int high, const At& at, double& uptake, double& carry, bool skip_low,
                         bool skip_high) const {
    double gain = 0;
    const double c = at(0, 0, 0);
    const int beyond = high == 0 ? -1 : 1;
#pragma unroll
    for (int along = -1; along <= 1; ++along) {
      if ((!corners && along != 0) || (along < 0 && skip_low) || (along > 0 && skip_high)) continue;
      const int dy = axis == 0 ? along : beyond, dx = axis == 0 ? beyond : along;
      const T w = m.weights[(dy + 1) * 3 + dx + 1];
      if (w != 0) gain = fma(static_cast<double>(w), static_cast<double>(at(0, dy, dx)) - c, gain);
    }
    const double term = gain - carry, sum = uptake + term;
    carry = (sum - uptake) - term;
    uptake = sum;
  }

  // One step. `parity`: which of the edges of the block hold this state.
  template <bool WallsX, bool Records>
  __device__ void step(T (&v)[H][C], int parity) const {
    T below[C], above[C];
#pragma unroll
    for (int e = 0; e < C; ++e) {
      below[e] = warp > 0 ? shared.edge[parity][warp - 1][1][e * 32 + lane] : v[0][e];
      above[e] = warp < Warps - 1 ? shared.edge[parity][warp + 1][0][e * 32 + lane] : v[H - 1][e];
    }
    T down[C + 2], here[C + 2], up[C + 2];
    widen<WallsX>(v[0], warp * H, here);
    if constexpr (corners) {
      widen<WallsX>(below, warp * H - 1 >= 0 ? warp * H - 1 : 0, down);
    } else {
#pragma unroll
      for (int e = 0; e < C; ++e) down[e + 1] = below[e];
    }
    if (wall[1][0]) ghost_row(0, here, down);
#pragma unroll
    for (int h = 0; h < H; ++h) {
      T next[C];
      if (h < H - 1) {
#pragma unroll
        for (int e = 0; e < C; ++e) next[e] = v[h + 1][e];
      } else {
#pragma unroll
        for (int e = 0; e < C; ++e) next[e] = above[e];
      }
      if (corners || h < H - 1) {
        widen<WallsX>(next, warp * H + h + 1 < height ? warp * H + h + 1 : height - 1, up);
      } else {
#pragma unroll
        for (int e = 0; e < C; ++e) up[e + 1] = next[e];
      }
      if (h == H - 1 && wall[1][1]) ghost_row(1, here, up);
      const auto at_cell = [&](int e) {
        return [&, e](int, int dy, int dx) -> T { return (dy < 0 ? down : dy > 0 ? up : here)[e + 1 + dx]; };
      };
#pragma unroll
      for (int e = 0; e < C; ++e) v[h][e] = update<K>(m, at_cell(e));
      const int n = warp * H + h + 1;
#pragma unroll
      for (int high = 0; high < 2; ++high) {
        if constexpr (Records)
          if (wall[0][high] && b.walls[0][high].uptake)
            record(0, high, at_cell(high == 0 ? 0 : C - 1), shared.x[high].uptake[n], shared.x[high].carry[n], false,
                   false);
        if (h == (high == 0 ? 0 : H - 1) && wall[1][high] && b.walls[1][high].uptake)
#pragma unroll
          for (int e = 0; e < C; ++e)
            record(1, high, at_cell(e), shared.y[high].uptake[lane * C + e + 1], shared.y[high].carry[lane * C + e + 1],
                   e == 0 && wall[0][0], e == C - 1 && wall[0][1]);
      }
#pragma unroll
      for (int e = 0; e < C + 2; ++e) down[e] = here[e], here[e] = up[e];
    }
  }

  __device__ void store_edges(const T (&v)[H][C], int parity) const {
#pragma unroll
    for (int e = 0; e < C; ++e) {
      shared.edge[parity][warp][0][e * 32 + lane] = v[0][e];
      shared.edge[parity][warp][1][e * 32 + lane] = v[H - 1][e];
    }
  }

  // Writes the cells of the own tile that other blocks need, or all.
  __device__ void write(const T (&v)[H][C], T* to, bool all) const {
    for_cells([&](int h) { return (own_y >> h & 1u) == 0          ? 0u
                                  : all || (rim_y >> h & 1u) != 0 ? own_x
                                                                  : rim_x; },
              [&](int h, int e, Index offset) { to[offset] = v[h][e]; });
  }
  // Reads the cells around the own tile.
  __device__ void read(T (&v)[H][C], const T* from) const {
    for_cells([&](int h) { return (near_y >> h & 1u) == 0  ? 0u
                                  : (own_y >> h & 1u) != 0 ? near_x & ~own_x
                                                           : near_x; },
              [&](int h, int e, Index offset) { v[h][e] = load_shared_by_blocks(from + offset); });
  }

  // Waits until the blocks around have written exchange number `exchange`.
  __device__ void meet(unsigned exchange) const {
#if defined(__CUDACC__)
    __syncthreads();
    if (threadIdx.x == 0) publish(windows.flags + blockIdx.x, exchange);
    if (threadIdx.x < 9) {
      int nx = bx + static_cast<int>(threadIdx.x) % 3 - 1, ny = by + static_cast<int>(threadIdx.x) / 3 - 1;
      const int px = static_cast<int>(windows.x.count), py = static_cast<int>(windows.y.count);
      if (windows.x.ring) nx = (nx + px) % px;
      if (windows.y.ring) ny = (ny + py) % py;
      if (nx >= 0 && nx < px && ny >= 0 && ny < py) await(windows.flags + ny * px + nx, exchange);
    }
    __syncthreads();
#else
    (void)exchange;
    grid_barrier();
#endif
  }

  template <bool WallsX, bool Records>
  __device__ void run() const {
    T v[H][C];
    read_walls();
#pragma unroll
    for (int h = 0; h < H; ++h)
#pragma unroll
      for (int e = 0; e < C; ++e) v[h][e] = 0;
    for_cells([](int) { return ~0u; }, [&](int h, int e, Index offset) { v[h][e] = b.c[offset]; });
    __syncthreads();
    int parity = 0, left = windows.steps;
    for (int epoch = 0; epoch < windows.epochs; ++epoch) {
      if (epoch > 0) {
        T* buffer = epoch % 2 == 1 ? b.next : b.c;
        write(v, buffer, false);
        meet(static_cast<unsigned>(epoch));
        read(v, buffer);
      }
      const int steps = left < windows.x.depth ? left : static_cast<int>(windows.x.depth);
      for (int n = 0; n < steps; ++n) {
        hold<WallsX>(v);
        store_edges(v, parity);
        __syncthreads();
        step<WallsX, Records>(v, parity);
        parity ^= 1;
      }
      left -= steps;
    }
    write(v, windows.epochs % 2 == 1 ? b.next : b.c, true);
    __syncthreads();
    write_walls();
  }
};

template <MaskKind K, class T, int C, int H, int Warps>
__global__ void __launch_bounds__(32 * Warps, 1)
    resident_kernel(ConvolveBlock<T> b, ConvolveMask<T> m, Windows windows) {
  using Work = Resident<K, T, C, H, Warps>;
  const Work work(b, m, windows, *dynamic_shared<typename Work::Shared>());
  if (!work.at_wall(0, 0) && !work.at_wall(0, 1)) {
    work.template run<false, false>();
  } else if (!b.walls[0][0].uptake && !b.walls[0][1].uptake) {
    work.template run<true, false>();
  } else {
    work.template run<true, true>();
  }
}

}  // namespace
}  // namespace halocline::diffusion
