// Bodies of the history: near passes among the slots of a block, flushes of exponentials, sums of stored increments.
// Which coefficients they take is told in blocks.hpp. Rows are lines of a part along x, padding included; eight nodes
// at a time on the host, a thread per node on a GPU.
#pragma once

#include <cstdint>

#include "lib/base/fma.hpp"
#include "lib/base/pack.hpp"
#include "lib/fields/slab_layout.hpp"

namespace halocline::fractional {

constexpr int most_slots = 64;    // of a block
constexpr int most_states = 192;  // of exponentials

// What bodies over nodes have in common. Body: node<P>(at).
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

struct ClearBody : NodesBody<ClearBody> {
  double* field;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    store(field + at, zero<P>());
  }
};

// slot_t += first_t first + sum_{i < sources} near_ti slot_i for t = from .. to - 1, counted from 0.
struct NearPassBody : NodesBody<NearPassBody> {
  Slots slots;
  const double* first;            // null: does not count
  const double *near, *of_first;  // [t][slots], [t]
  int width;                      // slots of a row of `near`
  int sources, from, to;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    for (int t = from; t < to; ++t) {
      P sum = load<P>(slots.data[t] + at);
      if (first != nullptr) sum = fma(of_first[t], load<P>(first + at), sum);
      for (int i = 0; i < sources; ++i) sum = fma(near[t * width + i], load<P>(slots.data[i] + at), sum);
      store(slots.data[t] + at, sum);
    }
  }
};

// A flush: states take up the block that is done, `first` its last increment, slots the far values of the next. Without
// `takes` states and `first` are those after it already.
template <int Most>
struct FlushBody : NodesBody<FlushBody<Most>> {
  Slots slots;
  double* first;
  States states;
  int terms, width;
  bool takes;
  const double *decay, *from_first, *into, *out;  // [k], [k], [k][width], [k][width]
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    P increments[Most], far[Most];
    for (int j = 0; j < width; ++j) far[j] = zero<P>();
    for (int j = 0; j < width && takes; ++j) increments[j] = load<P>(slots.data[j] + at);
    const P before = load<P>(first + at);
    for (int k = 0; k < terms; ++k) {
      double* const state = states.data[k] + at;
      P q = load<P>(state);
      if (takes) {
        q = fma(from_first[k], before, decay[k] * q);
        for (int j = 0; j < width; ++j) q = fma(into[k * width + j], increments[j], q);
        store(state, q);
      }
      for (int j = 0; j < width; ++j) far[j] = fma(out[k * width + j], q, far[j]);
    }
    if (takes) store(first + at, increments[width - 1]);
    for (int j = 0; j < width; ++j) store(slots.data[j] + at, far[j]);
  }
};

// Some stored increments to the far values of a block: slot_j = [adds] slot_j + sum_m weights_mj increment_m.
template <int Most>
struct DirectFarBody : NodesBody<DirectFarBody<Most>> {
  Slots slots, increments;
  int width, count;       // slots, increments
  const double* weights;  // [m][width]
  bool adds;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    P far[Most];
    for (int j = 0; j < width; ++j) far[j] = adds ? load<P>(slots.data[j] + at) : zero<P>();
    for (int m = 0; m < count; ++m) {
      const P increment = load<P>(increments.data[m] + at);
      for (int j = 0; j < width; ++j) far[j] = fma(weights[m * width + j], increment, far[j]);
    }
    for (int j = 0; j < width; ++j) store(slots.data[j] + at, far[j]);
  }
};

}  // namespace halocline::fractional
