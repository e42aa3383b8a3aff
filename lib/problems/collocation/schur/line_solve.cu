// The kernel of lib/problems/collocation/schur/line_kernels.hpp. A block takes one tile of elements of eight
// interleaved lines, one thread per lane and four elements, and marches over neighboring groups, so that a neighbor is
// read once.
//
// A recurrence along the line (one number passes from element to element) is cut at every thread: each thread runs its
// elements from zero, hands the number it ends with to the others, adds up what the threads before it send, damped by
// the product of their factors, and corrects its elements by that. Threads within `warm_up` elements of a tile's inner
// border lack what comes from beyond it; neighboring tiles overlap by that much.
#include <algorithm>
#include <type_traits>

#include "lib/base/error.hpp"
#include "lib/problems/collocation/schur/line_solve_thread.hpp"

namespace halocline::collocation {
namespace {

// Roomy: the outbox has memory of its own, so that the next line is on its way while this one is solved; at first it
// takes the second neighbor of the first line.
// `sums`: 0 for a solution, else those of a minuend less it.
template <int sums>
__global__ void __launch_bounds__(block_threads, 1)
    solve_lines_kernel(const LineSolve lines, const Tiles tiles, bool roomy, const detail::SumTarget target) {
  constexpr bool subtract = sums > 0;
  unsigned char* raw = dynamic_shared<unsigned char>();
  Thread thread(lines, tiles, *reinterpret_cast<Memory*>(raw));
  Outbox& out = roomy ? *reinterpret_cast<Outbox*>(raw + sizeof(Memory)) : thread.memory.tile;
  const Index first = lines.begin + blockIdx.y * tiles.run, end = least(first + tiles.run, lines.end);
  thread.load_coefficients();
  after_others();
  thread.fetch_neighbor(first, thread.memory.tile);
  __pipeline_commit();
  if (roomy) thread.fetch_neighbor(first + 1, out);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  thread.remember();
  if (roomy) {
    thread.tile = out;
  } else {
    __syncthreads();
    thread.fetch_neighbor(first + 1, thread.memory.tile);
    __pipeline_commit();
  }
  for (Index g = first; g < end; ++g) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if constexpr (subtract)
      if (g > first) thread.collect<sums>();
    const bool free_outbox = roomy && g > first;  // it held the neighbor of the first group
    if (subtract && free_outbox) thread.fetch_minuend(g, out);
    thread.combine();
    thread.send_forward();
    thread.tile = thread.memory.tile;
    __syncthreads();  // the tile is free
    if (subtract && !free_outbox) thread.fetch_minuend(g, out);
    __pipeline_commit();
    if ((roomy || !subtract) && g + 1 < end) thread.fetch_neighbor(g + 2, thread.memory.tile);
    __pipeline_commit();
    thread.eliminate_and_send();
    if (subtract) __pipeline_wait_prior(1);  // the minuend is here
    __syncthreads();
    thread.substitute();
    if (!subtract) {
      thread.write(g);
      continue;
    }
    thread.subtract<sums>(g, out);
    thread.send_out<sums>(g, out);
    if (roomy || g + 1 == end) continue;
    __syncthreads();
    thread.fetch_neighbor(g + 2, thread.memory.tile);
    __pipeline_commit();
  }
  if constexpr (subtract) {
    __syncthreads();
    thread.collect<sums>();
    target.finish(thread.memory.sums, sums * ExactSum::words);
  }
}

template <int sums>
void start(const Executor& executor, const Label& label, const LineSolve& lines, const detail::SumTarget& target) {
  const BlockLimits limits = block_limits(executor);
  Tiles tiles = tiles_of(lines.elements, lines.warm_up);
  const Index count = lines.end - lines.begin;
  const Index columns = (tiles.slices_of_line + tiles.own - 1) / tiles.own;
  const Index rows = std::clamp<Index>(limits.multiprocessors / columns, 1, count);
  tiles.run = (count + rows - 1) / rows;
  const bool roomy = limits.shared_bytes >= sizeof(Memory) + sizeof(Outbox);
  const std::size_t bytes = sizeof(Memory) + (roomy ? sizeof(Outbox) : 0);
  const dim3 grid(static_cast<unsigned>(columns), static_cast<unsigned>((count + tiles.run - 1) / tiles.run));
  launch_blocks(executor, label, {grid, {block_threads}, bytes, true}, solve_lines_kernel<sums>, lines, tiles, roomy,
                target);
}

}  // namespace

bool can_solve_lines(const Executor& executor, Index elements, Index warm_up) {
  return runs_block_kernels(executor) && block_limits(executor).shared_bytes >= sizeof(Memory) &&
         tiles_of(elements, warm_up).own > 0;
}

void solve_lines(const Executor& executor, const Label& label, const LineSolve& lines) {
  if (lines.end > lines.begin) start<0>(executor, label, lines, {});
}

namespace {

// Calls run(K), K a constant.
template <class Run>
void with_count(const LineSolve& lines, const Run& run) {
  require(lines.end > lines.begin, "solve_lines: no groups");
  require(lines.sums == 2 || (lines.sums == most_sums && lines.weight != nullptr), "solve_lines: two sums or five");
  lines.sums == 2 ? run(std::integral_constant<int, 2>{}) : run(std::integral_constant<int, most_sums>{});
}

}  // namespace

void solve_lines(const Executor& executor, const Label& label, const LineSolve& lines, std::span<ExactSum> sums,
                 bool deliver) {
  require(static_cast<int>(sums.size()) == lines.sums, "solve_lines: as many sums as are asked for");
  with_count(lines, [&]<int K>(std::integral_constant<int, K>) {
    detail::sum_blocks<K>(
        executor, label, [&](const detail::SumTarget& target) { start<K>(executor, label, lines, target); },
        std::span<ExactSum, K>(sums.data(), K), deliver);
  });
}

void solve_lines(const Executor& executor, const Label& label, const LineSolve& lines, double* sums) {
  with_count(lines, [&]<int K>(std::integral_constant<int, K>) {
    detail::round_blocks<K>(
        executor, label, [&](const detail::SumTarget& target) { start<K>(executor, label, lines, target); }, sums);
  });
}

}  // namespace halocline::collocation
