// Several stages of a star of seven points in one pass over memory. A block owns a prism, a tile of columns, and walks
// through its planes: what a stage has made of a plane goes straight on to the next stage, which makes the plane below
// of it. Every stage keeps its last two planes in registers, a pair of columns (16 bytes) and `Rows` rows to a thread;
// neighbors along x come by shuffles, those along y from shared memory where they are other warps'. Planes are copied
// to shared memory ahead. Prisms overlap by a margin in which values are computed twice.
//
// Walls: a star asks for ghosts along one axis at a time, and the threads at a wall make them (prism_walls.hpp).
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/cuda/prism_cut.hpp"
#include "lib/problems/diffusion/cuda/prism_walls.hpp"

namespace halocline::diffusion {

template <class T>
struct alignas(16) PrismVector {
  T v[16 / sizeof(T)];
};

template <class T>
constexpr int prism_lane = 16 / sizeof(T);  // columns of a thread
template <class T>
constexpr int prism_width = 32 * prism_lane<T>;
template <class T>
constexpr Index prism_margin = 32 / sizeof(T);  // along x: a sector, at least the stages

// Rule: `Value`, `stages`, `flat` (asks for no neighbor along y), `mask`, and operator()(stage, at, before): what a
// stage makes of a cell from the values at() around it; before: the one there of the stage before.
template <class Rule, int R>
struct PrismThread {
  using T = typename Rule::Value;
  using Vector = PrismVector<T>;
  static constexpr int V = prism_lane<T>, S = Rule::stages, slots = prism_ahead + 2;
  using Part = T[R][V];  // of a plane

  const ConvolveBlock<T>& b;
  const Rule& rule;
  const PrismPass& pass;
  const Prisms& prisms;
  int lane, warp, warps;
  int row[R], column[V];  // of the cells, inside
  unsigned valid, own;    // bits r V + e: of cells that there are, and that the tile is to compute
  bool whole;             // columns lie side by side
  Index first;            // place of the first cell in a plane; beyond a periodic side it is none
  Index z0, z1;           // planes that stages may take part of
  Index lo, hi;           // planes to compute
  Vector* ring;           // [slot][row][lane]
  Vector* edges;          // [parity][stage - 1][warp][first, last][lane]
  PrismWalls<T> walls;

  // What a thread carries from plane to plane.
  struct State {
    T last[S][2][R][V];  // the last two planes before each stage
    int fill = 0, here = 0, parity = 0, fill_walls = 0, here_walls = 0;
  };

  __device__ PrismThread(const ConvolveBlock<T>& block, const Rule& r, const PrismPass& p, const Prisms& cut, Index kx,
                         Index ky, Index kz)
      : b(block),
        rule(r),
        pass(p),
        prisms(cut),
        walls(block, cut, S, kx, ky,
              dynamic_shared<unsigned char>() + prism_shared_bytes(R, static_cast<int>(blockDim.y), S)) {
    lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y), warps = static_cast<int>(blockDim.y);
    place_cells(cut.x.start(kx) + lane * V, cut.y.start(ky) + warp * R, kx, ky);
    const SlabRows planes = p.cells.rows;
    lo = planes.lo + kz * cut.chunk, hi = lo + cut.chunk < planes.hi ? lo + cut.chunk : planes.hi;
    z0 = lo - S, z1 = hi + S;
    if (affine(2, 0) && z0 < 0) z0 = 0;
    if (affine(2, 1) && z1 > b.extent[2]) z1 = b.extent[2];
    ring = dynamic_shared<Vector>();
    edges = ring + slots * warps * R * 32;
  }
  __device__ void place_cells(Index x, Index y, Index kx, Index ky) {
    valid = own = 0;
    for (int e = 0; e < V; ++e) column[e] = static_cast<int>(prisms.x.inside(x + e));
    for (int r = 0; r < R; ++r) {
      row[r] = static_cast<int>(prisms.y.inside(y + r));
      for (int e = 0; e < V; ++e) {
        if (prisms.y.known(y + r) && prisms.x.known(x + e)) valid |= 1u << (r * V + e);
        if (y + r >= prisms.y.own_begin(ky) && y + r < prisms.y.own_end(ky) && x + e >= prisms.x.own_begin(kx) &&
            x + e < prisms.x.own_end(kx))
          own |= 1u << (r * V + e);
      }
    }
    whole = x >= 0 && x + V <= b.extent[0];
    first = y * b.pitch + x;
  }
  __device__ bool affine(int axis, int side) const { return b.walls[axis][side].kind == WallKind::affine; }
  __device__ Index plane_inside(Index z) const {
    const Index n = b.extent[2];
    return b.walls[2][z < 0 ? 0 : 1].kind != WallKind::periodic ? z : z < 0 || z >= n ? (z % n + n) % n : z;
  }
  __device__ Vector* slot(int number, int of) const { return ring + (number * warps * R + of) * 32 + lane; }
  __device__ Vector* edge(int parity, int stage, int of, int last) const {
    return edges + (((parity * (S - 1) + stage - 1) * warps + of) * 2 + last) * 32 + lane;
  }

  // Starts the copy of the thread's part of a plane. Plain: no cell of the tile is at a wall or beyond a periodic side.
  template <bool Plain>
  __device__ __forceinline__ void fetch(Index z, int to) const {
    const T* plane = b.c + (Plain ? z : plane_inside(z)) * b.plane;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      Vector* place = slot(to, warp * R + r);
      if (Plain) {
        __pipeline_memcpy_async(place, plane + first + r * b.pitch, 16);
      } else if (whole) {
        if (valid >> (r * V) & 1u) __pipeline_memcpy_async(place, plane + row[r] * b.pitch + column[0], 16);
      } else {
#pragma unroll
        for (int e = 0; e < V; ++e)
          if (valid >> (r * V + e) & 1u)
            __pipeline_memcpy_async(&place->v[e], plane + row[r] * b.pitch + column[e], sizeof(T));
      }
    }
  }
  __device__ bool is_valid(int r, int e) const { return (valid >> (r * V + e) & 1u) != 0; }
  __device__ bool is_own(int r, int e) const { return (own >> (r * V + e) & 1u) != 0; }
  __device__ bool own_plane(Index z) const { return z >= lo && z < hi && z >= pass.own.lo && z < pass.own.hi; }
  // Which of the thread's columns or rows is the last one before a wall.
  __device__ int column_at(int side) const { return (side == 0 ? 0 : static_cast<int>(b.extent[0]) - 1) - column[0]; }
  __device__ int row_at(int side) const { return (side == 0 ? 0 : static_cast<int>(b.extent[1]) - 1) - row[0]; }

  // Starts the copy of what walls beside the tile say of a plane.
  __device__ void fetch_walls(Index z, int to) const {
    const Index at_z = plane_inside(z);
    const bool kept = own_plane(z);
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      if (const int e = column_at(side); walls.at[0][side] && e >= 0 && e < V) {
#pragma unroll
        for (int r = 0; r < R; ++r)
          if (is_valid(r, e))
            walls.fetch(b.walls[0][side], at_z, row[r], to, walls.first[0][side] + warp * R + r, kept && is_own(r, e));
      }
      if (const int r = row_at(side); walls.at[1][side] && r >= 0 && r < R) {
#pragma unroll
        for (int e = 0; e < V; ++e)
          if (is_valid(r, e))
            walls.fetch(b.walls[1][side], at_z, column[e], to, walls.first[1][side] + lane * V + e,
                        kept && is_own(r, e));
      }
    }
  }

  __device__ static void take(const Vector* from, T (&to)[V]) {
    const Vector vector = *from;
#pragma unroll
    for (int e = 0; e < V; ++e) to[e] = vector.v[e];
  }
  __device__ static void put(const T (&from)[V], Vector* to) {
    Vector vector;
#pragma unroll
    for (int e = 0; e < V; ++e) vector.v[e] = from[e];
    *to = vector;
  }
  __device__ __forceinline__ void store(Index z, const Part& part) const {
    constexpr unsigned all = (1u << V) - 1;
    T* plane = b.next + z * b.plane + first;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const unsigned bits = own >> (r * V) & all;
      if (bits == all) {
        put(part[r], reinterpret_cast<Vector*>(plane + r * b.pitch));
      } else if (bits != 0) {
#pragma unroll
        for (int e = 0; e < V; ++e)
          if (bits >> e & 1u) plane[r * b.pitch + e] = part[r][e];
      }
    }
  }

  // First cells of walls take their held values.
  struct Just {
    T value;
    __device__ T operator()(Index, Index, Index) const { return value; }
  };
  __device__ void hold(int stage, Index z, Part& part) const {
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int e = 0; e < V; ++e)
        if (is_valid(r, e))
          part[r][e] = held(b, pass.level + stage, Just{part[r][e]}, plane_inside(z), row[r], column[e]);
  }

  // What a cell gains through a wall, by number in the mask.
  __device__ double gain(int weight, T beyond, T cell) const {
    const double c = cell;
    return fma(static_cast<double>(rule.mask.weights[weight]), static_cast<double>(beyond) - c, 0.0);
  }
  // Plane z is the first or the last one: what is beyond.
  __device__ void ghost_plane(int side, int stage, Index z, const Part& cells, Part& beyond) const {
    const WallRule<T>& wall = b.walls[2][side];
    const Index level = pass.level + stage;
    const bool kept = wall.uptake && own_plane(z);
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int e = 0; e < V; ++e) {
        if (!is_valid(r, e)) continue;
        const Index place = wall.at(0, row[r], column[e]);
        beyond[r][e] = fma(wall.alpha[place], cells[r][e], wall.beta[level * wall.beta_level + place]);
        if (kept && is_own(r, e)) add_uptake(wall, place, gain(side == 0 ? 4 : 22, beyond[r][e], cells[r][e]));
      }
  }
  // Row r is the first or the last one. slot: of what is known of walls at plane z.
  __device__ void ghost_row(int side, int stage, Index z, int slot, int r, const T (&cells)[V], T (&beyond)[V]) const {
    const WallRule<T>& wall = b.walls[1][side];
    const Index at_z = plane_inside(z);
    const bool kept = wall.uptake && own_plane(z);
#pragma unroll
    for (int e = 0; e < V; ++e) {
      const int place = walls.first[1][side] + lane * V + e;
      const Index at_x = is_valid(r, e) ? column[e] : 0;  // tables end with the row
      beyond[e] = walls.ghost(wall, pass.level + stage, at_z, at_x, slot, place, cells[e]);
      if (kept && is_own(r, e))
        walls.record(wall, at_z, column[e], slot, place, gain(side == 0 ? 10 : 16, beyond[e], cells[e]),
                     stage == S - 1);
    }
  }
  // Ghosts at an end of row r; wide: values of the thread's columns and one beside them.
  __device__ void ghost_end(int side, int stage, Index z, int slot, int r, T (&wide)[V + 2]) const {
    const WallRule<T>& wall = b.walls[0][side];
    const int at = column_at(side);
#pragma unroll
    for (int e = 0; e < (side == 0 ? 1 : V); ++e) {
      if (e != at || !is_valid(r, e)) continue;
      const Index at_z = plane_inside(z);
      const int place = walls.first[0][side] + warp * R + r;
      T& beyond = wide[side == 0 ? 0 : e + 2];
      beyond = walls.ghost(wall, pass.level + stage, at_z, row[r], slot, place, wide[e + 1]);
      if (wall.uptake && own_plane(z) && is_own(r, e))
        walls.record(wall, at_z, row[r], slot, place, gain(side == 0 ? 12 : 14, beyond, wide[e + 1]), stage == S - 1);
    }
  }

  // Stage s makes plane z of the planes z - 1 (low), z and z + 1 (high) of what was before it. south, north: rows of
  // plane z beside the thread's own.
  template <bool Plain>
  __device__ __forceinline__ void advance(int s, Index z, int slot, Part& low, const Part& cells, Part& high,
                                          T (&south)[V], T (&north)[V], const Part& before, Part& out) const {
    const bool real = z >= z0 && z < z1;
    if (!Plain && real) {
      if (z == 0 && affine(2, 0)) ghost_plane(0, s, z, cells, low);
      if (z == b.extent[2] - 1 && affine(2, 1)) ghost_plane(1, s, z, cells, high);
      if (walls.at[1][0] && row[0] == 0) ghost_row(0, s, z, slot, 0, cells[0], south);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      T wide[V + 2], down[V], up[V];
      wide[0] = __shfl_up_sync(0xffffffffu, cells[r][V - 1], 1);
      wide[V + 1] = __shfl_down_sync(0xffffffffu, cells[r][0], 1);
#pragma unroll
      for (int e = 0; e < V; ++e) {
        wide[e + 1] = cells[r][e];
        down[e] = r > 0 ? cells[r > 0 ? r - 1 : 0][e] : south[e];
        up[e] = r < R - 1 ? cells[r < R - 1 ? r + 1 : r][e] : north[e];
      }
      if (!Plain && real) {
        if (walls.at[0][0]) ghost_end(0, s, z, slot, r, wide);
        if (walls.at[0][1]) ghost_end(1, s, z, slot, r, wide);
        if (walls.at[1][1] && row_at(1) == r) ghost_row(1, s, z, slot, r, cells[r], up);
      }
#pragma unroll
      for (int e = 0; e < V; ++e)
        out[r][e] = rule(
            s,
            [&](int dz, int dy, int dx) -> T {
              return dz < 0 ? low[r][e] : dz > 0 ? high[r][e] : dy < 0 ? down[e] : dy > 0 ? up[e] : wide[e + 1 + dx];
            },
            before[r][e]);
    }
  }

  // One more plane of the old state comes into the first stage.
  template <bool Plain>
  __device__ __forceinline__ void start_fetch(Index z, State& t) const {
    if (Plain || z < z1) {
      fetch<Plain>(z, t.fill);
      if (!Plain) fetch_walls(z, t.fill_walls);
    }
    __pipeline_commit();
    t.fill = t.fill + 1 == slots ? 0 : t.fill + 1;
    t.fill_walls = t.fill_walls + 1 == prism_wall_slots(S) ? 0 : t.fill_walls + 1;
  }
  template <bool Plain>
  __device__ __forceinline__ void rise(Index z, State& t) const {
    start_fetch<Plain>(z + prism_ahead, t);
    __pipeline_wait_prior(prism_ahead);
    const int was = t.here == 0 ? slots - 1 : t.here - 1;
    const int below = warp > 0 ? warp - 1 : 0, above = warp < warps - 1 ? warp + 1 : warp;
    Part part, before = {};
#pragma unroll
    for (int r = 0; r < R; ++r) take(slot(t.here, warp * R + r), part[r]);
#pragma unroll
    for (int s = 0; s < S; ++s) {
      // `part` is plane z - s before stage s.
      if (!Plain && prisms.held && z - s >= z0 && z - s < z1) {
        hold(s, z - s, part);
        if (s == 0)
#pragma unroll
          for (int r = 0; r < R; ++r) put(part[r], slot(t.here, warp * R + r));
      }
      T south[V], north[V];
      if (s == 0) {
        take(slot(was, below * R + R - 1), south);
        take(slot(was, above * R), north);
      } else {
        put(part[0], edge(t.parity, s, warp, 0));
        put(part[R - 1], edge(t.parity, s, warp, 1));
        take(edge(1 - t.parity, s, below, 1), south);
        take(edge(1 - t.parity, s, above, 0), north);
      }
      const int known = t.here_walls > s ? t.here_walls - s - 1 : t.here_walls - s - 1 + prism_wall_slots(S);
      Part out;
      advance<Plain>(s, z - s - 1, known, t.last[s][0], t.last[s][1], part, south, north, before, out);
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int e = 0; e < V; ++e) {
          before[r][e] = t.last[s][0][r][e];
          t.last[s][0][r][e] = t.last[s][1][r][e];
          t.last[s][1][r][e] = part[r][e];
          part[r][e] = out[r][e];
        }
    }
    if (Plain || z - S >= lo) store(z - S, part);
    t.here = t.here + 1 == slots ? 0 : t.here + 1;
    t.here_walls = t.here_walls + 1 == prism_wall_slots(S) ? 0 : t.here_walls + 1;
    t.parity = 1 - t.parity;
    __syncthreads();
  }

  // plain: no cell of the tile is at a wall or beyond a periodic side.
  __device__ void walk(bool plain) const {
    State t = {};
    for (Index z = z0; z < z0 + prism_ahead; ++z) start_fetch<false>(z, t);
    // Planes [from, to) ask for no wall across z either. Loops that are unrolled spill, and their text leaves the
    // instruction cache.
    const Index end = hi + S, low = affine(2, 0) && lo == 0 ? 1 : 0, n = b.extent[2];
    Index from = lo + S + low, to = z1 - prism_ahead;
    if (b.walls[2][1].kind != WallKind::open && to > n - prism_ahead) to = n - prism_ahead;
    if (!plain || prisms.held || to <= from) from = to = end;
    Index z = z0;
#pragma unroll 1
    for (int leg = 0; leg < 2; ++leg) {
#pragma unroll 1
      for (const Index stop = leg == 0 ? from : end; z < stop; ++z) rise<false>(z, t);
#pragma unroll 1
      for (; leg == 0 && z < to; ++z) rise<true>(z, t);
    }
  }
};

}  // namespace halocline::diffusion
