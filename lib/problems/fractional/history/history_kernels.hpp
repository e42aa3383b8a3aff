// Bodies of the history: near passes among the slots of a block, flushes of exponentials, sums of stored increments.
// Which coefficients they take is told in blocks.hpp. Rows are lines of a part along x, padding included; eight nodes
// at a time on the host, a thread per node on a GPU. All numbers, tables included, are of type T, double or float.
#pragma once

#include <cstdint>

#include "lib/base/fma.hpp"
#include "lib/base/pack.hpp"
#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

constexpr int most_slots = 64;    // of a block
constexpr int most_states = 192;  // of exponentials

template <class T>
struct SlotsOf {
  T* data[most_slots] = {};
};
template <class T>
struct StatesOf {
  T* data[most_states] = {};
};
using Slots = SlotsOf<double>;
using States = StatesOf<double>;

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

template <class T>
struct ClearBody : NodesBody<ClearBody<T>> {
  T* field;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    store(field + at, zero<Like<P, T>>());
  }
};

// slot_t += first_t first + sum_{i < sources} near_ti slot_i for t = from .. to - 1, counted from 0; from >= sources.
// Some slots at a time: each waits for its last sum, and what is added is read once for all of them.
template <class T>
struct NearPassBody : MediaNodesBody<NearPassBody<T>> {
  static constexpr int together = 4;
  SlotsOf<T> slots;
  const T* first;            // null: does not count
  const T *near, *of_first;  // [medium][t][slots], [medium][t]
  int width;                 // slots of a row of `near`
  int sources, from, to;
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    int t = from;
    for (; t + together <= to; t += together) add<together, Like<P, T>>(t, at, medium);
    for (; t < to; ++t) add<1, Like<P, T>>(t, at, medium);
  }

 private:
  template <int Count, class P>
  HALOCLINE_HD void add(int t, Index at, int medium) const {
    const T* const weights = near + (medium * width + t) * width;
    P sum[Count];
    for (int c = 0; c < Count; ++c) sum[c] = load<P>(slots.data[t + c] + at);
    if (first != nullptr) {
      const P before = load<P>(first + at);
      for (int c = 0; c < Count; ++c) sum[c] = fma(of_first[medium * width + t + c], before, sum[c]);
    }
    for (int i = 0; i < sources; ++i) {
      const P increment = load<P>(slots.data[i] + at);
      for (int c = 0; c < Count; ++c) sum[c] = fma(weights[c * width + i], increment, sum[c]);
    }
    for (int c = 0; c < Count; ++c) store(slots.data[t + c] + at, sum[c]);
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
  FlushTablesOf<T> tables;
  SlotsOf<T> slots;
  T* first;
  StatesOf<T> states;
  bool takes;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    using Q = Like<P, T>;
    const int width = tables.width;
    Q increments[Most], far[Most];
    each_slot<Most>(width, [&](int j) {
      increments[j] = load<Q>(slots.data[j] + at);
      far[j] = zero<Q>();
    });
    const Q before = load<Q>(first + at);
    for (int k = 0; k < tables.terms; ++k) {
      T* const state = states.data[k] + at;
      Q q = load<Q>(state);
      if (takes) {
        q = fma(tables.from_first[k], before, DecayOf<T>::of(tables.decay[k], q));
        each_slot<Most>(width, [&](int j) { q = fma(tables.into[k * width + j], increments[j], q); });
        store(state, q);
      }
      each_slot<Most>(width, [&](int j) { far[j] = fma(tables.out[k * width + j], q, far[j]); });
    }
    if (takes) store(first + at, load<Q>(slots.data[width - 1] + at));
    each_slot<Most>(width, [&](int j) { store(slots.data[j] + at, far[j]); });
  }
};

// Behind a flush, which makes the far values of medium 0: those of nodes of other media, of the states as they are now.
template <int Most, class T>
struct MediaFarBody : MediaNodesBody<MediaFarBody<Most, T>> {
  SlotsOf<T> slots;
  StatesOf<T> states;
  int terms, width;
  const T* out;  // [medium][k][width]
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    using Q = Like<P, T>;
    if (medium == 0) return;
    const T* const of_medium = out + medium * terms * width;
    Q far[Most];
    each_slot<Most>(width, [&](int j) { far[j] = zero<Q>(); });
    for (int k = 0; k < terms; ++k) {
      const Q q = load<Q>(states.data[k] + at);
      each_slot<Most>(width, [&](int j) { far[j] = fma(of_medium[k * width + j], q, far[j]); });
    }
    each_slot<Most>(width, [&](int j) { store(slots.data[j] + at, far[j]); });
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
