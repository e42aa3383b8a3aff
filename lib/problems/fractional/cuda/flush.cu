// A flush with a thread for two neighboring nodes: their increments and far values stay in registers, tables lie in
// shared memory, from where all threads read the same 16 bytes at a time for both nodes, and states are asked for some
// ahead of their use: first of memory, then of the second cache.
#include "gpu/block_kernel.hpp"
#include "lib/problems/fractional/cuda/two_numbers.hpp"
#include "lib/problems/fractional/history/flush_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int flush_threads = 128;
constexpr int states_ahead = 8, states_prefetched = 16;

// Tables of a state: decay and from_first, into, out.
template <int Width>
constexpr int numbers_of_state = 2 + 2 * Width;

template <int Width>
struct FlushPart {
  FlushTables tables;
  double* slots[Width];
  double* first;
  States states;
  Index nodes;
};

template <int Width>
__device__ void load_tables(const FlushTables& from, double* to) {
  constexpr int numbers = numbers_of_state<Width>;
  for (int n = static_cast<int>(threadIdx.x); n < from.terms * numbers; n += flush_threads) {
    const int k = n / numbers, i = n % numbers;
    to[n] = i == 0          ? from.decay[k]
            : i == 1        ? from.from_first[k]
            : i < 2 + Width ? from.into[k * Width + i - 2]
                            : from.out[k * Width + i - 2 - Width];
  }
}

__device__ __forceinline__ TwoNumbers add_products(double a, const TwoNumbers& b, const TwoNumbers& c) {
  return {fma(a, b.a, c.a), fma(a, b.b, c.b)};
}

// What a state becomes, and what it adds to the far values.
template <int Width>
__device__ __forceinline__ TwoNumbers take_up(const TwoNumbers* table, TwoNumbers q, const TwoNumbers& before,
                                              const TwoNumbers* increments, TwoNumbers* far) {
  q = add_products(table[0].b, before, {table[0].a * q.a, table[0].a * q.b});
#pragma unroll
  for (int j = 0; j < Width; j += 2) {
    const TwoNumbers into = table[1 + j / 2];
    q = add_products(into.a, increments[j], q);
    q = add_products(into.b, increments[j + 1], q);
  }
#pragma unroll
  for (int j = 0; j < Width; j += 2) {
    const TwoNumbers out = table[1 + (Width + j) / 2];
    far[j] = add_products(out.a, q, far[j]);
    far[j + 1] = add_products(out.b, q, far[j + 1]);
  }
  return q;
}

__device__ inline TwoNumbers& two(double* field, Index at) { return *reinterpret_cast<TwoNumbers*>(field + at); }

template <int Width>
__global__ void __launch_bounds__(flush_threads, 2) flush_nodes(FlushPart<Width> part) {
  auto* const tables = dynamic_shared<double>();
  load_tables<Width>(part.tables, tables);
  __syncthreads();
  const Index at = 2 * (static_cast<Index>(blockIdx.x) * flush_threads + threadIdx.x);
  if (at >= part.nodes) return;
  const int terms = part.tables.terms;
  TwoNumbers increments[Width], far[Width], next[states_ahead];
#pragma unroll
  for (int c = 0; c < states_ahead; ++c)
    if (c < terms) next[c] = two(part.states.data[c], at);
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    increments[j] = two(part.slots[j], at);
    far[j] = {0, 0};
  }
  const TwoNumbers before = two(part.first, at);
  const auto* table = reinterpret_cast<const TwoNumbers*>(tables);
  for (int k = 0; k < terms; k += states_ahead) {
    TwoNumbers now[states_ahead];
#pragma unroll
    for (int c = 0; c < states_ahead; ++c) {
      now[c] = next[c];
      if (k + states_ahead + c < terms) next[c] = two(part.states.data[k + states_ahead + c], at);
      if (k + states_prefetched + c < terms) prefetch(part.states.data[k + states_prefetched + c] + at);
    }
#pragma unroll
    for (int c = 0; c < states_ahead; ++c, table += numbers_of_state<Width> / 2)
      if (k + c < terms) two(part.states.data[k + c], at) = take_up<Width>(table, now[c], before, increments, far);
  }
  two(part.first, at) = increments[Width - 1];
#pragma unroll
  for (int j = 0; j < Width; ++j) two(part.slots[j], at) = far[j];
}

std::size_t bytes_of_tables(const FlushTables& tables) {
  return sizeof(double) * static_cast<std::size_t>(tables.terms * (2 + 2 * tables.width));
}

template <int Width>
void launch_flush(const Executor& executor, const Label& label, const FlushTables& tables, const Slots& slots,
                  double* first, const States& states, Index nodes) {
  FlushPart<Width> part{tables, {}, first, states, nodes};
  for (int j = 0; j < Width; ++j) part.slots[j] = slots.data[j];
  require(nodes % 2 == 0, "a flush: pairs of nodes");
  const auto blocks = static_cast<unsigned>((nodes / 2 + flush_threads - 1) / flush_threads);
  launch_blocks(executor, label, {{blocks}, {flush_threads}, bytes_of_tables(tables)}, flush_nodes<Width>, part);
}

}  // namespace

bool plan_flush(const Executor& executor, const FlushTables& tables) {
  return runs_block_kernels(executor) && (tables.width == 4 || tables.width == 8 || tables.width == 16) &&
         bytes_of_tables(tables) <= block_limits(executor).shared_bytes;
}

void flush(const Executor& executor, const Label& label, const FlushTables& tables, const Slots& slots, double* first,
           const States& states, Index nodes) {
  if (nodes == 0) return;
  const auto launch = tables.width == 4 ? launch_flush<4> : tables.width == 8 ? launch_flush<8> : launch_flush<16>;
  launch(executor, label, tables, slots, first, states, nodes);
}

}  // namespace halocline::fractional
