// Bodies of the history: near passes among the slots of a block, flushes of exponentials, sums of stored increments.
// Which coefficients they take is told in blocks.hpp. Rows are lines of a part along x, padding included; eight nodes
// at a time on the host, a thread per node on a GPU. T: what fields are kept in, double, float or Half; all that is
// computed with, tables included, is of type Computed<T>.
#pragma once

#include <type_traits>

#include "lib/base/fma.hpp"
#include "lib/base/pack.hpp"
#include "lib/fields/error_kernels.hpp"
#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/storage/field_kernels.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

constexpr int most_slots = 64;    // of a block
constexpr int most_states = 192;  // of exponentials

template <class T>
using SlotsOf = FieldsOf<T, most_slots>;
template <class T>
using StatesOf = FieldsOf<T, most_states>;
template <class T>
using FirstOf = FieldsOf<T, 1>;
using Slots = SlotsOf<double>;
using States = StatesOf<double>;

// Nodes of a part as they lie in memory, padding included: stretches of so many nodes, `distance` from each other; one
// where planes have no rows of neighbors between them.
struct NodeStretches {
  Index count = 0, nodes = 0, distance = 0;
  static NodeStretches of(const SlabLayout& slab) {
    const Index nodes = slab.extent[1] * slab.pitch;
    if (nodes == slab.plane) return {1, slab.extent[2] * nodes, 0};
    return {slab.extent[2], nodes, slab.plane};
  }
  HALOCLINE_HD Index all() const { return count * nodes; }
  // In fields.
  HALOCLINE_HD Index place(Index n) const { return count == 1 ? n : n / nodes * distance + n % nodes; }
};

// call(most) with a number that a block's slots do not exceed, known at compile time.
template <class Call>
void with_most_slots(int block, const Call& call) {
  if (block <= 4) return call(std::integral_constant<int, 4>());
  if (block <= 16) return call(std::integral_constant<int, 16>());
  call(std::integral_constant<int, most_slots>());
}

// f(j) for the slots of a block, of which there are `width` <= Most; unrolled on a GPU, where arrays of Most values
// that f indexes then stay in registers.
template <int Most, class F>
HALOCLINE_HD inline void each_slot(int width, const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
  for (int j = 0; j < Most; ++j)
    if (j < width) f(j);
#else
  for (int j = 0; j < width; ++j) f(j);
#endif
}

// sum_t = slot_t + first_t first + sum_{i < sources} near_ti slot_i for t = from .. to - 1, counted from 0; from >=
// sources. Sums may be the slots themselves. Some at a time: each waits for its last product, and what is added is read
// once for all of them.
template <class T>
struct NearPassBody : MediaNodesBody<NearPassBody<T>> {
  static constexpr int together = 4;
  using Number = Computed<T>;
  SlotsOf<T> slots;
  FirstOf<T> first;  // null: does not count
  SlotsOf<Number> sums;
  const Number *near, *of_first;  // [medium][t][slots], [medium][t]
  int width;                      // slots of a row of `near`
  int sources, from, to;
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    int t = from;
    for (; t + together <= to; t += together) add<together, Like<P, Number>>(t, at, medium);
    for (; t < to; ++t) add<1, Like<P, Number>>(t, at, medium);
  }

 private:
  template <int Count, class Q>
  HALOCLINE_HD void add(int t, Index at, int medium) const {
    const Number* const weights = near + (medium * width + t) * width;
    Q sum[Count];
    for (int c = 0; c < Count; ++c) sum[c] = slots.template load<Q>(t + c, at);
    if (first.data[0] != nullptr) {
      const Q before = first.template load<Q>(0, at);
      for (int c = 0; c < Count; ++c) sum[c] = fma(of_first[medium * width + t + c], before, sum[c]);
    }
    for (int i = 0; i < sources; ++i) {
      const Q increment = slots.template load<Q>(i, at);
      for (int c = 0; c < Count; ++c) sum[c] = fma(weights[c * width + i], increment, sum[c]);
    }
    for (int c = 0; c < Count; ++c) sums.store(t + c, at, sum[c]);
  }
};

// Increments to slots of another kind, from .. to - 1.
template <class T>
struct KeepBody : NodesBody<KeepBody<T>> {
  SlotsOf<Computed<T>> increments;
  SlotsOf<T> slots;
  int from, to;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    using Q = Like<P, Computed<T>>;
    for (int j = from; j < to; ++j) slots.store(j, at, increments.template load<Q>(j, at));
  }
};

// The largest magnitude of fields from .. to - 1 at a group of neighbors, padding left out.
template <class T>
struct LargestOfBody {
  static constexpr int group = 8;
  SlabLayout slab;
  SlotsOf<T> fields;
  int from, to;
  HALOCLINE_HD double operator()(Index line, Index n) const {
    const Index begin = n * group, left = slab.extent[0] - begin;
    double of_fields[group] = {};
    for (int j = from; j < to; ++j) {
      const T* const values = fields.data[j] + slab.line(line) + begin;
      for (int i = 0; i < group; ++i)
        if (i < left) of_fields[i] = Larger()(of_fields[i], magnitude(static_cast<double>(values[i])));
    }
    double most = 0;
    for (const double one : of_fields) most = Larger()(most, one);
    return most;
  }
};

// Of a flush: [k], [k], [k][width], [k][width]. `decay` as DecayOf has it.
template <class T>
struct FlushTablesOf {
  int terms, width;
  const T *decay, *from_first, *into, *out;
};
using FlushTables = FlushTablesOf<double>;

// How a state decays from block to block. Slow ones are multiplied by nearly 1 thousands of times: as a float that
// number would be wrong by the same share every time, so floats hold what it lacks of 1.
template <class T>
struct DecayOf {
  static double held(double decay) { return decay; }
  template <class Q>
  HALOCLINE_HD static Q of(T held, const Q& q) {
    return held * q;
  }
};
template <>
struct DecayOf<float> {
  static double held(double decay) { return decay - 1; }
  template <class Q>
  HALOCLINE_HD static Q of(float held, const Q& q) {
    return fma(held, q, q);
  }
};

// A flush: states take up the block that is done, `first` its last increment, slots the far values of the next. Without
// `takes` states and `first` are those after it already.
template <int Most, class T = double>
struct FlushBody : NodesBody<FlushBody<Most, T>> {
  using Number = Computed<T>;
  FlushTablesOf<Number> tables;
  SlotsOf<T> slots;
  FirstOf<T> first;
  StatesOf<T> states;
  bool takes;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    using Q = Like<P, Number>;
    const int width = tables.width;
    Q increments[Most], far[Most];
    each_slot<Most>(width, [&](int j) {
      increments[j] = slots.template load<Q>(j, at);
      far[j] = zero<Q>();
    });
    const Q before = first.template load<Q>(0, at);
    for (int k = 0; k < tables.terms; ++k) {
      Q q = states.template load<Q>(k, at);
      if (takes) {
        q = fma(tables.from_first[k], before, DecayOf<Number>::of(tables.decay[k], q));
        each_slot<Most>(width, [&](int j) { q = fma(tables.into[k * width + j], increments[j], q); });
        q = states.store(k, at, q);
      }
      each_slot<Most>(width, [&](int j) { far[j] = fma(tables.out[k * width + j], q, far[j]); });
    }
    if (takes) first.store(0, at, slots.template load<Q>(width - 1, at));
    each_slot<Most>(width, [&](int j) { slots.store(j, at, far[j]); });
  }
};

// Behind a flush, which makes the far values of medium 0: those of nodes of other media, of the states as they are now.
template <int Most, class T>
struct MediaFarBody : MediaNodesBody<MediaFarBody<Most, T>> {
  SlotsOf<T> slots;
  StatesOf<T> states;
  int terms, width;
  const Computed<T>* out;  // [medium][k][width]
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    using Q = Like<P, Computed<T>>;
    if (medium == 0) return;
    const Computed<T>* const of_medium = out + medium * terms * width;
    Q far[Most];
    each_slot<Most>(width, [&](int j) { far[j] = zero<Q>(); });
    for (int k = 0; k < terms; ++k) {
      const Q q = states.template load<Q>(k, at);
      each_slot<Most>(width, [&](int j) { far[j] = fma(of_medium[k * width + j], q, far[j]); });
    }
    each_slot<Most>(width, [&](int j) { slots.store(j, at, far[j]); });
  }
};

// Some stored increments to the far values of a block: slot_j = [adds] slot_j + sum_m weights_mj increment_m.
template <int Most, class T>
struct DirectFarBody : MediaNodesBody<DirectFarBody<Most, T>> {
  SlotsOf<T> slots, increments;
  int width, count;  // slots, increments
  const T* weights;  // [medium][m][width]
  bool adds;
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    using Q = Like<P, T>;
    const T* const of_medium = weights + medium * count * width;
    Q far[Most];
    each_slot<Most>(width, [&](int j) { far[j] = adds ? load<Q>(slots.data[j] + at) : zero<Q>(); });
    for (int m = 0; m < count; ++m) {
      const Q increment = load<Q>(increments.data[m] + at);
      each_slot<Most>(width, [&](int j) { far[j] = fma(of_medium[m * width + j], increment, far[j]); });
    }
    each_slot<Most>(width, [&](int j) { store(slots.data[j] + at, far[j]); });
  }
};

}  // namespace halocline::fractional
