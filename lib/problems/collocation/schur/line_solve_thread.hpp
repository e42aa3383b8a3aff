// What one thread of the line solves does, and the memory its block shares; part of line_solve.cu.
#pragma once

#include <algorithm>

#include "gpu/block_kernel.hpp"
#include "gpu/block_sums.hpp"
#include "lib/base/pack.hpp"
#include "lib/problems/collocation/schur/line_kernels.hpp"

namespace halocline::collocation {
namespace {

constexpr int own_elements = 4;  // of a thread
constexpr int slices = 64;       // threads along a line
constexpr int block_threads = slices * lanes;
constexpr int warps = block_threads / 32;
constexpr int most_sums = 5;           // of a minuend and a weight
constexpr int row_values = 4 * lanes;  // of an element: two rows, V and W
constexpr int slice_values = own_elements * row_values;
constexpr int given_coefficients = 32;  // of an element, see schur_kernels.hpp: 16 of A3 and A4, 8 factors of A1 and A2

// Factors of A1 and A2 as they are used here: those given, the factor `pass` by which an element passes a carry on, and
// `reach`, the product of those from the carry's entry into the slice on.
enum Factor { l10, l0, pass, reach, d0, d1, u01, u12, back_pass, back_reach, factors };
constexpr int coefficients = 16 + 2 * factors;  // of an element

__device__ inline Index least(Index a, Index b) { return a < b ? a : b; }

struct alignas(16) Two {
  double x, y;
};

struct Tiles {
  Index slices_of_line, own, overlap;  // in slices
  int reach;                           // slices from which a carry arrives
  Index run = 1;                       // groups a block marches over

  __device__ Index first_own() const { return blockIdx.x * own; }
  __device__ Index end_own() const { return least(first_own() + own, slices_of_line); }
  __device__ Index first() const { return first_own() > overlap ? first_own() - overlap : 0; }
};

Tiles tiles_of(Index elements, Index warm_up) {
  const Index length = (elements + own_elements - 1) / own_elements;
  const Index reach = std::min<Index>((warm_up + own_elements - 1) / own_elements, slices);
  if (length <= slices) return {length, length, 0, static_cast<int>(reach)};
  const Index most = slices - 2 * reach;
  if (most < slices / 4) return {length, 0, 0, 0};  // more overlap than tile: not for this kernel
  const Index count = (length + most - 1) / most;
  return {length, (length + count - 1) / count, reach, static_cast<int>(reach)};
}

struct Memory {
  double coefficient[own_elements][slices][coefficients];
  double carry[2][2][slices][lanes];  // forward and backward, V and W
  double shares[most_sums][warps][lanes];
  unsigned long long sums[most_sums * ExactSum::words];
  alignas(16) double tile[slices][slice_values];  // a neighboring line as it comes from memory
};
// Solutions on their way to memory; where there is no room for them beside Memory, they take the place of the tile.
using Outbox = double[slices][slice_values];
// Where value n of a slice lies: odd slices swap neighboring rows of lanes, so that slices lie on different banks.
__device__ inline int swizzle(int slice, int n) { return n ^ (slice & 1) * lanes; }

// One thread's view of the work.
struct Thread {
  const LineSolve& lines;
  const Tiles& tiles;
  Memory& memory;
  const double (*tile)[slice_values];  // where the neighboring line lies
  int slice, lane;
  double v[own_elements][2], w[own_elements][2];  // right-hand sides, then solutions, of V and W
  double from_left[own_elements][2];              // what the line behind contributes

  __device__ Thread(const LineSolve& l, const Tiles& t, Memory& m)
      : lines(l), tiles(t), memory(m), tile(m.tile), slice(threadIdx.x / lanes), lane(threadIdx.x % lanes) {}

  __device__ double coefficient(int i, int which) const { return memory.coefficient[i][slice][which]; }
  __device__ double factor(int i, int system, Factor which) const {
    return coefficient(i, 16 + factors * system + which);
  }
  __device__ Index element(int i) const { return (tiles.first() + slice) * own_elements + i; }
  __device__ void load_coefficients() {
    for (int n = threadIdx.x; n < slices * own_elements * 16; n += block_threads) {
      const int which = n % 16, place = n / 16;
      const Index e = tiles.first() * own_elements + place;
      // Beyond the end of the line zeros make every recurrence stop.
      memory.coefficient[place % own_elements][place / own_elements][which] =
          e < lines.elements ? lines.coefficients[e * given_coefficients + which] : 0.0;
    }
    if (threadIdx.x < 2 * slices) load_factors(threadIdx.x / slices, threadIdx.x % slices);
    for (int n = threadIdx.x; n < most_sums * ExactSum::words; n += block_threads) memory.sums[n] = 0;
  }
  __device__ void load_factors(int system, int s) {
    double forward = 1, backward = 1;
    for (int i = 0; i < own_elements; ++i) {
      const Index e = (tiles.first() + s) * own_elements + i;
      double given[8];  // l(2e,2e-1), l(2e+1,2e-1), l(2e+1,2e), d0, u01, u02, d1, u12
      for (int k = 0; k < 8; ++k)
        given[k] = e < lines.elements ? __ldg(lines.coefficients + e * given_coefficients + 16 + 8 * system + k) : 0.0;
      double* to = memory.coefficient[i][s] + 16 + factors * system;
      to[l10] = given[2];
      to[l0] = given[0];
      to[pass] = given[2] * given[0] - given[1];
      to[reach] = forward *= to[pass];
      to[d0] = given[3];
      to[d1] = given[6];
      to[u01] = given[4];
      to[u12] = given[7];
      to[back_pass] = given[4] * given[7] - given[5];
    }
    for (int i = own_elements - 1; i >= 0; --i) {
      double* to = memory.coefficient[i][s] + 16 + factors * system;
      to[back_reach] = backward *= to[back_pass];
    }
  }

  // Begins to copy slices begin .. end-1 of the tile, of a line group, into shared memory, 16 bytes at a time.
  __device__ void fetch(const double* line, double (&to)[slices][slice_values], int begin, int end) {
    const Index values = lines.elements * row_values;
    for (int n = begin * slice_values + 2 * threadIdx.x; n < end * slice_values; n += 2 * block_threads) {
      const int s = n / slice_values;
      const Index from = tiles.first() * slice_values + n;
      double* place = &to[s][swizzle(s, n % slice_values)];
      if (from < values) {
        __pipeline_memcpy_async(place, line + from, 16);
      } else {  // beyond the end of the line
        *reinterpret_cast<Two*>(place) = {0, 0};
      }
    }
  }
  // The same for a ghost group from the lines that stand for it, without waiting for what else is on its way.
  __device__ void gather(Index ghost, Outbox& to) {
    const GhostSource* sources = lines.sources + ghost * lanes;
    const Index start = tiles.first() * slice_values, values = lines.elements * row_values;
    const GhostSource s = sources[lane];  // a thread meets one lane alone
    const double* line = s.kind == GhostSource::local ? lines.neighbors.x + s.offset : lines.halo;
    if (s.kind == GhostSource::right_halo) line += lines.elements * 4;
    const Index stride = s.kind == GhostSource::local ? lanes : 1;
    for (int n = threadIdx.x; n < slices * slice_values; n += block_threads) {
      const int at = n / slice_values;
      const Index place = (start + n) / lanes;  // in the line: unknown and field
      const bool there = start + n < values && s.kind != GhostSource::none;
      const double sign = place % 2 == 0 ? s.sign_v : 1;
      to[at][swizzle(at, n % slice_values)] = there ? sign * line[place * stride] : 0;
    }
  }
  __device__ void fetch_neighbor(Index g, Outbox& to) {
    const Index ghost = lines.neighbors.ghost_number(g + lines.left);
    if (ghost < 0 || lines.sources == nullptr) return fetch(lines.neighbors.group(g + lines.left), to, 0, slices);
    gather(ghost, to);
  }
  __device__ void fetch_minuend(Index g, Outbox& out) { fetch(lines.minuend.group(g), out, begin_own(), end_own()); }

  __device__ int begin_own() const { return static_cast<int>(tiles.first_own() - tiles.first()); }
  __device__ int end_own() const { return static_cast<int>(tiles.end_own() - tiles.first()); }
  __device__ bool owns() const { return slice >= begin_own() && slice < end_own(); }

  __device__ double tile_value(int s, int unknown, int field) const {
    return tile[s][swizzle(s, (2 * unknown + field) * lanes + lane)];
  }

  // Reads the line in the tile: contributions to_left and to_right of schur_kernels.hpp's couple().
  template <class Take>
  __device__ void couple(const Take& take) const {
    const bool before = slice > 0, after = slice + 1 < slices && element(own_elements) < lines.elements;
    double x[4][2];
    for (int field = 0; field < 2; ++field) {
      x[0][field] = before ? tile_value(slice - 1, 2 * own_elements - 1, field) : 0;
      x[1][field] = tile_value(slice, 0, field);
    }
    for (int i = 0; i < own_elements; ++i) {
      for (int field = 0; field < 2; ++field) {
        x[2][field] = tile_value(slice, 2 * i + 1, field);
        const bool inside = i + 1 < own_elements;
        x[3][field] = inside ? tile_value(slice, 2 * i + 2, field) : after ? tile_value(slice + 1, 0, field) : 0;
      }
      double a3[2] = {0, 0}, a4[2] = {0, 0};
      for (int m = 0; m < 4; ++m)
        for (int q = 0; q < 2; ++q) {
          a3[q] += coefficient(i, 4 * q + m) * x[m][0];
          a4[q] += coefficient(i, 8 + 4 * q + m) * x[m][1];
        }
      take(i, a3, a4);
      for (int field = 0; field < 2; ++field) {
        x[0][field] = x[2][field];
        x[1][field] = x[3][field];
      }
    }
  }
  __device__ void remember() {
    couple([&](int i, const double(&a3)[2], const double(&a4)[2]) {
      for (int q = 0; q < 2; ++q) from_left[i][q] = a3[q] + a4[q];
    });
  }
  __device__ void combine() {
    couple([&](int i, const double(&a3)[2], const double(&a4)[2]) {
      for (int q = 0; q < 2; ++q) {
        const double to_left = a3[q] - a4[q], behind = from_left[i][q];
        v[i][q] = to_left + behind;
        w[i][q] = to_left - behind;
        from_left[i][q] = a3[q] + a4[q];
      }
    });
  }

  // Elimination of the own elements from zero: r(i, 1) holds the carry behind element i. Returns the last.
  __device__ double forward(double (&r)[own_elements][2], int system) const {
    double carry = 0;
    for (int i = 0; i < own_elements; ++i) {
      carry = factor(i, system, pass) * carry + (r[i][1] - factor(i, system, l10) * r[i][0]);
      r[i][1] = carry;
    }
    return carry;
  }
  // What `arriving` changes about it.
  __device__ void complete_forward(double (&r)[own_elements][2], int system, double arriving) const {
    double before = arriving;
    for (int i = 0; i < own_elements; ++i) {
      r[i][0] -= factor(i, system, l0) * before;
      r[i][1] += factor(i, system, reach) * arriving;
      before = r[i][1];
    }
  }
  // Back substitution from zero: r(i, 0) holds the first unknown of element i. Returns the lowest.
  __device__ double backward(double (&r)[own_elements][2], int system) const {
    double carry = 0;
    for (int i = own_elements - 1; i >= 0; --i) {
      r[i][1] *= factor(i, system, d1);
      carry =
          factor(i, system, back_pass) * carry + (factor(i, system, d0) * r[i][0] - factor(i, system, u01) * r[i][1]);
      r[i][0] = carry;
    }
    return carry;
  }
  __device__ void complete_backward(double (&r)[own_elements][2], int system, double arriving) const {
    double behind = arriving;
    for (int i = own_elements - 1; i >= 0; --i) {
      r[i][1] -= factor(i, system, u12) * behind;
      r[i][0] += factor(i, system, back_reach) * arriving;
      behind = r[i][0];
    }
  }

  // What arrives at this slice from those before (forward) or after it (backward), for V and W.
  template <int direction>
  __device__ Two arriving() const {
    constexpr int step = direction == 0 ? 1 : -1, exit = direction == 0 ? own_elements - 1 : 0;
    constexpr Factor along = direction == 0 ? reach : back_reach;
    const int count = static_cast<int>(least(tiles.reach, direction == 0 ? slice : slices - 1 - slice));
    Two sum{0, 0};
#pragma unroll 4
    for (int s = slice - step * count; s != slice; s += step) {
      const double* through = memory.coefficient[exit][s] + 16;
      sum.x = through[along] * sum.x + memory.carry[direction][0][s][lane];
      sum.y = through[factors + along] * sum.y + memory.carry[direction][1][s][lane];
    }
    return sum;
  }

  // The parts of a solve, between which the block meets.
  __device__ void send_forward() {
    memory.carry[0][0][slice][lane] = forward(v, 0);
    memory.carry[0][1][slice][lane] = forward(w, 1);
  }
  __device__ void eliminate_and_send() {
    const Two carry = arriving<0>();
    complete_forward(v, 0, carry.x);
    complete_forward(w, 1, carry.y);
    memory.carry[1][0][slice][lane] = backward(v, 0);
    memory.carry[1][1][slice][lane] = backward(w, 1);
  }
  __device__ void substitute() {
    const Two carry = arriving<1>();
    complete_backward(v, 0, carry.x);
    complete_backward(w, 1, carry.y);
  }

  // The slices that this block owns, without a detour; good where nothing else is read meanwhile.
  __device__ void write(Index g) const {
    if (!owns()) return;
    double* to = lines.target + g * lines.neighbors.group_size + (tiles.first() + slice) * slice_values + lane;
    for (int i = 0; i < own_elements; ++i) {
      if (element(i) >= lines.elements) return;
      for (int q = 0; q < 2; ++q) {
        to[(4 * i + 2 * q) * lanes] = v[i][q];
        to[(4 * i + 2 * q + 1) * lanes] = w[i][q];
      }
    }
  }

  // The minuend in the outbox becomes the difference; this thread's shares of the sums that need nothing else.
  template <int sums>
  __device__ void subtract(Index g, Outbox& out) {
    double yy = 0, yx = 0, xx = 0;
    if (owns()) {
      const bool used = lines.lengths[lane] > g;
      for (int i = 0; i < own_elements; ++i)
        for (int q = 0; q < 2; ++q)
          for (int field = 0; field < 2; ++field) {
            double& place = out[slice][swizzle(slice, (4 * i + 2 * q + field) * lanes + lane)];
            const double x = place, y = used ? x - (field == 0 ? v[i][q] : w[i][q]) : 0;
            place = y;
            yy += y * y;
            yx += y * x;
            if (sums == most_sums) xx += x * x;
          }
    }
    for (int distance = 16; distance >= lanes; distance /= 2) {
      yy += __shfl_down_sync(0xffffffffU, yy, distance);
      yx += __shfl_down_sync(0xffffffffU, yx, distance);
      if (sums == most_sums) xx += __shfl_down_sync(0xffffffffU, xx, distance);
    }
    if (threadIdx.x % 32 >= lanes) return;
    memory.shares[0][threadIdx.x / 32][lane] = yy;
    if (sums == most_sums || lines.weight == nullptr) memory.shares[1][threadIdx.x / 32][lane] = yx;
    if (sums == most_sums) memory.shares[2][threadIdx.x / 32][lane] = xx;
  }

  // The outbox goes to memory in one stream, two values per thread at a time, and meets the weight on its way; the
  // minuend, where a sum needs it with the weight, comes from cache. The values of a thread lie in the same two lanes.
  // The block meets once within.
  template <int sums>
  __device__ void send_out(Index g, const Outbox& out) {
    constexpr int batch = 4;
    constexpr bool with_minuend = sums == most_sums;
    const Index start = tiles.first() * slice_values;
    const Index end = least(tiles.end_own() * slice_values, lines.elements * row_values);
    const double* weight = lines.weight == nullptr ? nullptr : lines.weight + g * lines.neighbors.group_size;
    const double* minuend = lines.minuend.group(g);
    double* to = lines.target + g * lines.neighbors.group_size;
    Two by[batch] = {}, of_x[with_minuend ? batch : 1] = {}, yw{0, 0}, xw{0, 0};
    const auto read = [&](Index n) {
      if (weight == nullptr) return;
      for (int k = 0; k < batch; ++k, n += 2 * block_threads) {
        if (n >= end) continue;
        by[k] = *reinterpret_cast<const Two*>(weight + n);
        if constexpr (with_minuend) of_x[k] = *reinterpret_cast<const Two*>(minuend + n);
      }
    };
    Index n = tiles.first_own() * slice_values + 2 * threadIdx.x;
    read(n);
    __syncthreads();
    while (n < end) {
      for (int k = 0; k < batch; ++k, n += 2 * block_threads) {
        if (n >= end) break;
        const int local = static_cast<int>(n - start), s = local / slice_values;
        const Two y = *reinterpret_cast<const Two*>(&out[s][swizzle(s, local % slice_values)]);
        yw.x += y.x * by[k].x;
        yw.y += y.y * by[k].y;
        if constexpr (with_minuend) {
          xw.x += of_x[k].x * by[k].x;
          xw.y += of_x[k].y * by[k].y;
        }
        *reinterpret_cast<Two*>(to + n) = y;
      }
      read(n);
    }
    if (weight == nullptr) return;
    share(yw, with_minuend ? 3 : 1);
    if constexpr (with_minuend) share(xw, 4);
  }
  // Of two neighboring lanes, over the threads of a warp.
  __device__ void share(Two sum, int which) {
    for (int distance = 16; distance >= lanes / 2; distance /= 2) {
      sum.x += __shfl_down_sync(0xffffffffU, sum.x, distance);
      sum.y += __shfl_down_sync(0xffffffffU, sum.y, distance);
    }
    if (threadIdx.x % 32 < lanes / 2)
      *reinterpret_cast<Two*>(&memory.shares[which][threadIdx.x / 32][2 * threadIdx.x % lanes]) = sum;
  }
  // The sum of a line's tile: over warps in a fixed order, then exactly.
  template <int sums>
  __device__ void collect() {
    if (threadIdx.x >= sums * lanes) return;
    const int which = threadIdx.x / lanes;
    double sum = 0;
    for (int n = 0; n < warps; ++n) sum += memory.shares[which][n][lane];
    detail::DeviceSink{memory.sums}.add(which, sum);
  }
};

}  // namespace
}  // namespace halocline::collocation
