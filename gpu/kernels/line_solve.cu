// The kernel of gpu/line_kernels.hpp. A block takes one tile of elements of eight interleaved lines, one thread per
// lane and four elements, and marches over neighboring groups, so that a neighbor is read once.
//
// A recurrence along the line (one number passes from element to element) is cut at every thread: each thread runs its
// elements from zero, hands the number it ends with to the others, adds up what the threads before it send, damped by
// the product of their factors, and runs again from that value. Threads within `warm_up` elements of a tile's inner
// border lack what comes from beyond it; neighboring tiles overlap by that much.
#include <cuda_pipeline.h>

#include <algorithm>

#include "gpu/launch_cuda.cuh"
#include "gpu/line_kernels.hpp"

namespace halocline {
namespace {

constexpr int own_elements = 4;                                          // of a thread
constexpr int slices = 64;                                               // threads along a line
constexpr int block_threads = slices * lanes;                            //
constexpr int row_values = 4 * lanes;                                    // of an element: two rows, V and W
constexpr int slice_pitch = own_elements * row_values + lanes;           // keeps slices on different banks
constexpr int coefficients_per_element = 32;                             //
constexpr int warps = block_threads / 32;                                //
enum Factor { f_l0 = 0, f_l1, f_l10, f_d0, f_u01, f_u02, f_d1, f_u12 };  // of A1, eight further on of A2

struct Tiles {
  Index slices_of_line, own, overlap;  // in slices
  int reach;                           // slices from which a carry arrives
  Index run = 1;                       // groups a block marches over

  __device__ Index first_own() const { return blockIdx.x * own; }
  __device__ Index end_own() const { return min(first_own() + own, slices_of_line); }
  __device__ Index first() const { return max(first_own() - overlap, Index{0}); }
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
  double coefficients[own_elements][coefficients_per_element][slices];
  double tile[slices][slice_pitch];
  double carry[2][2][slices][lanes];  // forward and backward, V and W
  double decay[2][2][slices];         // factor by which a slice passes a carry on
  double shares[2][warps][lanes];
  unsigned long long sums[2 * ExactSum::words];
};

// One thread's view of the work.
template <bool subtract>
struct Thread {
  const LineSolve& lines;
  const Tiles& tiles;
  Memory& memory;
  int slice, lane;
  double v[own_elements][2], w[own_elements][2];  // right-hand sides, then solutions, of V and W
  double from_left[own_elements][2];              // what the line behind contributes

  __device__ Thread(const LineSolve& l, const Tiles& t, Memory& m)
      : lines(l), tiles(t), memory(m), slice(threadIdx.x / lanes), lane(threadIdx.x % lanes) {}

  __device__ double coefficient(int i, int which) const { return memory.coefficients[i][which][slice]; }
  __device__ double factor(int i, int system, int which) const { return coefficient(i, 16 + 8 * system + which); }
  __device__ Index element(int i) const { return (tiles.first() + slice) * own_elements + i; }
  __device__ bool owns() const {
    const Index s = tiles.first() + slice;
    return s >= tiles.first_own() && s < tiles.end_own();
  }

  __device__ void load_coefficients() {
    // Beyond the end of the line zeros make every recurrence stop.
    for (int n = threadIdx.x; n < slices * own_elements * coefficients_per_element; n += block_threads) {
      const int which = n % coefficients_per_element, place = n / coefficients_per_element;
      const Index e = tiles.first() * own_elements + place;
      memory.coefficients[place % own_elements][which][place / own_elements] =
          e < lines.elements ? lines.coefficients[e * coefficients_per_element + which] : 0.0;
    }
    __syncthreads();
    if (threadIdx.x < 2 * slices) {
      const int system = threadIdx.x / slices, s = threadIdx.x % slices;
      double forward = 1, backward = 1;
      for (int i = 0; i < own_elements; ++i) {
        const auto f = [&](int which) { return memory.coefficients[i][16 + 8 * system + which][s]; };
        forward *= f(f_l10) * f(f_l0) - f(f_l1);
        backward *= f(f_u01) * f(f_u12) - f(f_u02);
      }
      memory.decay[0][system][s] = forward;
      memory.decay[1][system][s] = backward;
    }
    for (int n = threadIdx.x; n < 2 * ExactSum::words; n += block_threads) memory.sums[n] = 0;
  }

  // Begins to copy the tile of a line group into shared memory, 16 bytes at a time.
  __device__ void fetch(const double* line) {
    constexpr int per_slice = own_elements * row_values / 2;
    const Index values = lines.elements * row_values;
    for (int n = threadIdx.x; n < slices * per_slice; n += block_threads) {
      const int s = n / per_slice, place = n % per_slice;
      const Index from = (tiles.first() + s) * own_elements * row_values + 2 * place;
      // Beyond the end of the line: zeros.
      __pipeline_memcpy_async(&memory.tile[s][2 * place], line + min(from, values - 2), 16, from < values ? 0 : 16);
    }
    __pipeline_commit();
  }

  __device__ double tile_value(int s, int unknown, int field) const {
    return memory.tile[s][(2 * unknown + field) * lanes + lane];
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

  // Elimination of the own elements from `carry`, which becomes what is passed on; stores when `keep`.
  template <bool keep>
  __device__ double forward(double (&r)[own_elements][2], int system, double carry) const {
    for (int i = 0; i < own_elements; ++i) {
      const double first = r[i][0] - factor(i, system, f_l0) * carry;
      carry = (r[i][1] - factor(i, system, f_l1) * carry) - factor(i, system, f_l10) * first;
      if (keep) {
        r[i][0] = first;
        r[i][1] = carry;
      }
    }
    return carry;
  }
  template <bool keep>
  __device__ double backward(double (&r)[own_elements][2], int system, double carry) const {
    for (int i = own_elements - 1; i >= 0; --i) {
      const double second = factor(i, system, f_d1) * r[i][1] - factor(i, system, f_u12) * carry;
      carry =
          (factor(i, system, f_d0) * r[i][0] - factor(i, system, f_u02) * carry) - factor(i, system, f_u01) * second;
      if (keep) {
        r[i][0] = carry;
        r[i][1] = second;
      }
    }
    return carry;
  }

  // What arrives at this slice from the `reach` slices before (forward) or after it (backward).
  __device__ double arriving(int direction, int system) const {
    const int step = direction == 0 ? 1 : -1;
    int s = slice - step * tiles.reach;
    s = max(min(s, slices - 1), 0);
    double sum = 0;
    for (; s != slice; s += step)
      sum = memory.decay[direction][system][s] * sum + memory.carry[direction][system][s][lane];
    return sum;
  }

  // The halves of a solve, between which the block meets.
  __device__ void send_forward() {
    memory.carry[0][0][slice][lane] = forward<false>(v, 0, 0);
    memory.carry[0][1][slice][lane] = forward<false>(w, 1, 0);
  }
  __device__ void eliminate_and_send() {
    forward<true>(v, 0, arriving(0, 0));
    forward<true>(w, 1, arriving(0, 1));
    memory.carry[1][0][slice][lane] = backward<false>(v, 0, 0);
    memory.carry[1][1][slice][lane] = backward<false>(w, 1, 0);
  }
  __device__ void substitute() {
    backward<true>(v, 0, arriving(1, 0));
    backward<true>(w, 1, arriving(1, 1));
  }

  __device__ Index place(Index g) const { return g * lines.neighbors.group_size + element(0) * row_values + lane; }

  __device__ void write(Index g) {
    if (!owns()) return;
    double* to = lines.target + place(g);
    for (int i = 0; i < own_elements; ++i) {
      if (element(i) >= lines.elements) return;
      for (int q = 0; q < 2; ++q) {
        to[(4 * i + 2 * q) * lanes] = v[i][q];
        to[(4 * i + 2 * q + 1) * lanes] = w[i][q];
      }
    }
  }

  // target = minuend - solution, with this thread's shares of the sums.
  __device__ void write_difference(Index g) {
    double yy = 0, yw = 0;
    if (owns()) {
      const bool used = lines.lengths[lane] > g;
      const double* x = lines.minuend.group(g) + element(0) * row_values + lane;
      const double* weight = lines.weight == nullptr ? x : lines.weight + place(g);
      double* to = lines.target + place(g);
      for (int i = 0; i < own_elements; ++i) {
        if (element(i) >= lines.elements) break;
        for (int q = 0; q < 2; ++q) {
          const int at = (4 * i + 2 * q) * lanes;
          const double yv = used ? x[at] - v[i][q] : 0, ys = used ? x[at + lanes] - w[i][q] : 0;
          yy += yv * yv + ys * ys;
          yw += yv * weight[at] + ys * weight[at + lanes];
          to[at] = yv;
          to[at + lanes] = ys;
        }
      }
    }
    for (int distance = 16; distance >= lanes; distance /= 2) {
      yy += __shfl_down_sync(0xffffffffU, yy, distance);
      yw += __shfl_down_sync(0xffffffffU, yw, distance);
    }
    if (threadIdx.x % 32 < lanes) {
      memory.shares[0][threadIdx.x / 32][lane] = yy;
      memory.shares[1][threadIdx.x / 32][lane] = yw;
    }
  }
  // The sum of a line's tile: over warps in a fixed order, then exactly.
  __device__ void collect() {
    if (threadIdx.x >= 2 * lanes) return;
    const int which = threadIdx.x / lanes;
    double sum = 0;
    for (int n = 0; n < warps; ++n) sum += memory.shares[which][n][lane];
    detail::DeviceSink{memory.sums}.add(which, sum);
  }
};

template <bool subtract>
__global__ void __launch_bounds__(block_threads, 1)
    solve_lines_kernel(const LineSolve lines, const Tiles tiles, const detail::SumTarget target) {
  extern __shared__ __align__(16) unsigned char raw[];
  Thread<subtract> thread(lines, tiles, *reinterpret_cast<Memory*>(raw));
  const Index first = lines.begin + blockIdx.y * tiles.run, end = min(first + tiles.run, lines.end);
  thread.fetch(lines.neighbors.group(first + lines.left));
  thread.load_coefficients();
  __pipeline_wait_prior(0);
  __syncthreads();
  thread.remember();
  __syncthreads();
  thread.fetch(lines.neighbors.group(first + lines.left + 1));
  for (Index g = first; g < end; ++g) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (subtract && g > first) thread.collect();
    thread.combine();
    thread.send_forward();
    __syncthreads();
    if (g + 1 < end) thread.fetch(lines.neighbors.group(g + lines.left + 2));
    thread.eliminate_and_send();
    __syncthreads();
    thread.substitute();
    if (subtract) {
      thread.write_difference(g);
    } else {
      thread.write(g);
    }
  }
  if (!subtract) return;
  __syncthreads();
  thread.collect();
  target.finish(thread.memory.sums, 2 * ExactSum::words);
}

template <bool subtract>
void start(const Executor& executor, const char* name, const LineSolve& lines, const detail::SumTarget& target) {
  Tiles tiles = tiles_of(lines.elements, lines.warm_up);
  const Index count = lines.end - lines.begin;
  const Index columns = (tiles.slices_of_line + tiles.own - 1) / tiles.own;
  const Index rows = std::clamp<Index>(detail::as_cuda(executor).multiprocessors() / columns, 1, count);
  tiles.run = (count + rows - 1) / rows;
  const dim3 grid(static_cast<unsigned>(columns), static_cast<unsigned>((count + tiles.run - 1) / tiles.run));
  cudaFuncSetAttribute(solve_lines_kernel<subtract>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory));
  solve_lines_kernel<subtract>
      <<<grid, block_threads, sizeof(Memory), detail::stream_of(executor)>>>(lines, tiles, target);
  detail::check_launch(executor, name);
}

}  // namespace

bool can_solve_lines(const Executor& executor, Index elements, Index warm_up) {
  return executor.backend() == Backend::cuda && tiles_of(elements, warm_up).own > 0;
}

void solve_lines(const Executor& executor, const char* name, const LineSolve& lines) {
  if (lines.end > lines.begin) start<false>(executor, name, lines, {});
}

void solve_lines(const Executor& executor, const char* name, const LineSolve& lines, std::span<ExactSum, 2> sums) {
  if (lines.end <= lines.begin) return;
  detail::sum_on_cuda<2>(
      executor, name, [&](const detail::SumTarget& target) { start<true>(executor, name, lines, target); }, sums);
}

}  // namespace halocline
