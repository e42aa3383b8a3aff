// Bodies of the history: near passes among the slots of a block, flushes of exponentials, sums of stored increments.
// Which coefficients they take is told in blocks.hpp. Rows are lines of a part along x, padding included; eight nodes
// at a time on the host, a thread per node on a GPU.
#pragma once

#include <cstdint>

#include "lib/base/fma.hpp"
#include "lib/base/pack.hpp"
#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

constexpr int most_slots = 64;    // of a block
constexpr int most_states = 192;  // of exponentials

// What bodies over nodes of any medium have in common. Body: node<P>(at).
template <class Body>
struct NodesBody {
  SlabLayout slab;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    static_cast<const Body*>(this)->template node<double>(slab.line(line) + i);
  }
  void row(Index line, Index begin, Index end) const {
    const Body body = *static_cast<const Body*>(this);
    const Index at = slab.line(line);
    for (Index i = begin; i < end; i += lanes) body.template node<Pack<double>>(at + i);
  }
};

struct Slots {
  double* data[most_slots] = {};
};
struct States {
  double* data[most_states] = {};
};

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

struct ClearBody : NodesBody<ClearBody> {
  double* field;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    store(field + at, zero<P>());
  }
};

// slot_t += first_t first + sum_{i < sources} near_ti slot_i for t = from .. to - 1, counted from 0; from >= sources.
// Some slots at a time: each waits for its last sum, and what is added is read once for all of them.
struct NearPassBody : MediaNodesBody<NearPassBody> {
  static constexpr int together = 4;
  Slots slots;
  const double* first;            // null: does not count
  const double *near, *of_first;  // [medium][t][slots], [medium][t]
  int width;                      // slots of a row of `near`
  int sources, from, to;
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    int t = from;
    for (; t + together <= to; t += together) add<together, P>(t, at, medium);
    for (; t < to; ++t) add<1, P>(t, at, medium);
  }

 private:
  template <int Count, class P>
  HALOCLINE_HD void add(int t, Index at, int medium) const {
    const double* const weights = near + (medium * width + t) * width;
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

// Of a flush: [k], [k], [k][width], [k][width].
struct FlushTables {
  int terms, width;
  const double *decay, *from_first, *into, *out;
};

// A flush: states take up the block that is done, `first` its last increment, slots the far values of the next. Without
// `takes` states and `first` are those after it already.
template <int Most>
struct FlushBody : NodesBody<FlushBody<Most>> {
  FlushTables tables;
  Slots slots;
  double* first;
  States states;
  bool takes;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    const int width = tables.width;
    P increments[Most], far[Most];
    each_slot<Most>(width, [&](int j) {
      increments[j] = load<P>(slots.data[j] + at);
      far[j] = zero<P>();
    });
    const P before = load<P>(first + at);
    for (int k = 0; k < tables.terms; ++k) {
      double* const state = states.data[k] + at;
      P q = load<P>(state);
      if (takes) {
        q = fma(tables.from_first[k], before, tables.decay[k] * q);
        each_slot<Most>(width, [&](int j) { q = fma(tables.into[k * width + j], increments[j], q); });
        store(state, q);
      }
      each_slot<Most>(width, [&](int j) { far[j] = fma(tables.out[k * width + j], q, far[j]); });
    }
    if (takes) store(first + at, load<P>(slots.data[width - 1] + at));
    each_slot<Most>(width, [&](int j) { store(slots.data[j] + at, far[j]); });
  }
};

// Behind a flush, which makes the far values of medium 0: those of nodes of other media, of the states as they are now.
template <int Most>
struct MediaFarBody : MediaNodesBody<MediaFarBody<Most>> {
  Slots slots;
  States states;
  int terms, width;
  const double* out;  // [medium][k][width]
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    if (medium == 0) return;
    const double* const of_medium = out + medium * terms * width;
    P far[Most];
    each_slot<Most>(width, [&](int j) { far[j] = zero<P>(); });
    for (int k = 0; k < terms; ++k) {
      const P q = load<P>(states.data[k] + at);
      each_slot<Most>(width, [&](int j) { far[j] = fma(of_medium[k * width + j], q, far[j]); });
    }
    each_slot<Most>(width, [&](int j) { store(slots.data[j] + at, far[j]); });
  }
};

// Some stored increments to the far values of a block: slot_j = [adds] slot_j + sum_m weights_mj increment_m.
template <int Most>
struct DirectFarBody : MediaNodesBody<DirectFarBody<Most>> {
  Slots slots, increments;
  int width, count;       // slots, increments
  const double* weights;  // [medium][m][width]
  bool adds;
  template <class P>
  HALOCLINE_HD void node(Index at, int medium) const {
    const double* const of_medium = weights + medium * count * width;
    P far[Most];
    each_slot<Most>(width, [&](int j) { far[j] = adds ? load<P>(slots.data[j] + at) : zero<P>(); });
    for (int m = 0; m < count; ++m) {
      const P increment = load<P>(increments.data[m] + at);
      each_slot<Most>(width, [&](int j) { far[j] = fma(of_medium[m * width + j], increment, far[j]); });
    }
    each_slot<Most>(width, [&](int j) { store(slots.data[j] + at, far[j]); });
  }
};

}  // namespace halocline::fractional
