// A flush with a thread for some neighboring nodes, two of doubles, four of floats and halves: their increments and far
// values stay in registers, tables lie in shared memory, from where all threads read the same 16 bytes at a time for
// all their nodes, and states are asked for some ahead of their use: first of memory, then of the second cache.
#include "gpu/block_kernel.hpp"
#include "lib/problems/fractional/history/flush_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int flush_threads = 128;
constexpr int states_ahead = 8, states_prefetched = 16;

// Numbers of a table that are read at a time, and nodes of a thread. T: what fields are kept in.
template <class T>
constexpr int at_once = 16 / sizeof(Computed<T>);
template <class T>
using TableNumbers = Few<Computed<T>, at_once<T>>;
template <class T>
using ThreadNumbers = Few<Computed<T>, at_once<T>>;
template <class T>
using ThreadMemory = Few<T, at_once<T>>;

// Tables of a state: decay and from_first, into, out; each from a multiple of at_once on.
template <class T, int Width>
constexpr int numbers_of_state = at_once<T> + 2 * Width;

template <class T, int Width>
struct FlushPart {
  FlushTablesOf<Computed<T>> tables;
  FieldsOf<T, Width> slots;
  FirstOf<T> first;
  StatesOf<T> states;
  NodeStretches nodes;
};

template <class T, int Width>
__device__ void load_tables(const FlushTablesOf<Computed<T>>& from, Computed<T>* to) {
  constexpr int numbers = numbers_of_state<T, Width>, head = at_once<T>;
  for (int n = static_cast<int>(threadIdx.x); n < from.terms * numbers; n += flush_threads) {
    const int k = n / numbers, i = n % numbers;
    to[n] = i == 0             ? from.decay[k]
            : i == 1           ? from.from_first[k]
            : i < head         ? 0
            : i < head + Width ? from.into[k * Width + i - head]
                               : from.out[k * Width + i - head - Width];
  }
}

// What a state becomes.
template <class T, int Width>
__device__ __forceinline__ ThreadNumbers<T> take_up(const TableNumbers<T>* table, ThreadNumbers<T> q,
                                                    const ThreadNumbers<T>& before,
                                                    const ThreadNumbers<T>* increments) {
  q = fma(table[0].of[1], before, DecayOf<Computed<T>>::of(table[0].of[0], q));
#pragma unroll
  for (int j = 0; j < Width; j += at_once<T>) {
    const TableNumbers<T> into = table[1 + j / at_once<T>];
#pragma unroll
    for (int n = 0; n < at_once<T>; ++n) q = fma(into.of[n], increments[j + n], q);
  }
  return q;
}

// What it adds to the far values.
template <class T, int Width>
__device__ __forceinline__ void send_out(const TableNumbers<T>* table, const ThreadNumbers<T>& q,
                                         ThreadNumbers<T>* far) {
#pragma unroll
  for (int j = 0; j < Width; j += at_once<T>) {
    const TableNumbers<T> out = table[1 + (Width + j) / at_once<T>];
#pragma unroll
    for (int n = 0; n < at_once<T>; ++n) far[j + n] = fma(out.of[n], q, far[j + n]);
  }
}

template <class T>
__device__ inline const ThreadMemory<T>& memory_of(const T* field, Index at) {
  return *reinterpret_cast<const ThreadMemory<T>*>(field + at);
}

template <class T, int Width>
__global__ void __launch_bounds__(flush_threads, 2) flush_nodes(FlushPart<T, Width> part) {
  using Q = ThreadNumbers<T>;
  auto* const tables = dynamic_shared<Computed<T>>();
  load_tables<T, Width>(part.tables, tables);
  __syncthreads();
  const Index number = at_once<T> * (static_cast<Index>(blockIdx.x) * flush_threads + threadIdx.x);
  if (number >= part.nodes.all()) return;
  const Index at = part.nodes.place(number);
  const int terms = part.tables.terms;
  Q increments[Width], far[Width];
  ThreadMemory<T> next[states_ahead];
#pragma unroll
  for (int c = 0; c < states_ahead; ++c)
    if (c < terms) next[c] = memory_of(part.states.data[c], at);
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    increments[j] = part.slots.template load<Q>(j, at);
    far[j] = Q{};
  }
  const Q before = part.first.template load<Q>(0, at);
  const auto* table = reinterpret_cast<const TableNumbers<T>*>(tables);
  for (int k = 0; k < terms; k += states_ahead) {
    ThreadMemory<T> now[states_ahead];
#pragma unroll
    for (int c = 0; c < states_ahead; ++c) {
      now[c] = next[c];
      if (k + states_ahead + c < terms) next[c] = memory_of(part.states.data[k + states_ahead + c], at);
      if (k + states_prefetched + c < terms) prefetch(part.states.data[k + states_prefetched + c] + at);
    }
#pragma unroll
    for (int c = 0; c < states_ahead; ++c, table += numbers_of_state<T, Width> / at_once<T>)
      if (k + c < terms) {
        const Q q = take_up<T, Width>(table, part.states.numbers(k + c, now[c]), before, increments);
        send_out<T, Width>(table, part.states.store(k + c, at, q), far);
      }
  }
  part.first.store(0, at, increments[Width - 1]);
#pragma unroll
  for (int j = 0; j < Width; ++j) part.slots.store(j, at, far[j]);
}

template <class T>
std::size_t bytes_of_tables(int terms, int width) {
  return sizeof(Computed<T>) * static_cast<std::size_t>(terms * (at_once<T> + 2 * width));
}

template <class T, int Width>
void launch_flush(const Executor& executor, const Label& label, const FlushTablesOf<Computed<T>>& tables,
                  const SlotsOf<T>& slots, const FirstOf<T>& first, const StatesOf<T>& states,
                  const NodeStretches& nodes) {
  FlushPart<T, Width> part{tables, {}, first, states, nodes};
  for (int j = 0; j < Width; ++j) {
    part.slots.data[j] = slots.data[j];
    if constexpr (std::is_same_v<T, Half>) part.slots.units[j] = slots.units[j];
  }
  require(nodes.nodes % at_once<T> == 0 && nodes.distance % at_once<T> == 0, "a flush: groups of nodes");
  const Index groups = nodes.all() / at_once<T>;
  const auto blocks = static_cast<unsigned>((groups + flush_threads - 1) / flush_threads);
  launch_blocks(executor, label, {{blocks}, {flush_threads}, bytes_of_tables<T>(tables.terms, Width)},
                flush_nodes<T, Width>, part);
}

}  // namespace

template <class T>
bool plan_flush(const Executor& executor, int terms, int width) {
  return runs_block_kernels(executor) && (width == 4 || width == 8 || width == 16) &&
         bytes_of_tables<T>(terms, width) <= block_limits(executor).shared_bytes;
}
template bool plan_flush<double>(const Executor&, int, int);
template bool plan_flush<float>(const Executor&, int, int);
template bool plan_flush<Half>(const Executor&, int, int);

template <class T>
void flush(const Executor& executor, const Label& label, const FlushTablesOf<Computed<T>>& tables,
           const SlotsOf<T>& slots, const FirstOf<T>& first, const StatesOf<T>& states, const NodeStretches& nodes) {
  if (nodes.all() == 0) return;
  const auto launch = tables.width == 4   ? launch_flush<T, 4>
                      : tables.width == 8 ? launch_flush<T, 8>
                                          : launch_flush<T, 16>;
  launch(executor, label, tables, slots, first, states, nodes);
}
template void flush<double>(const Executor&, const Label&, const FlushTables&, const Slots&, const FirstOf<double>&,
                            const States&, const NodeStretches&);
template void flush<float>(const Executor&, const Label&, const FlushTablesOf<float>&, const SlotsOf<float>&,
                           const FirstOf<float>&, const StatesOf<float>&, const NodeStretches&);
template void flush<Half>(const Executor&, const Label&, const FlushTablesOf<float>&, const SlotsOf<Half>&,
                          const FirstOf<Half>&, const StatesOf<Half>&, const NodeStretches&);

}  // namespace halocline::fractional
