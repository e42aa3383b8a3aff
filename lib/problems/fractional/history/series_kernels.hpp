// The body of the series: states take up the last increment and give the history of the next step. See
// series_tables.hpp.
#pragma once

#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/storage/node_kernels.hpp"

namespace halocline::fractional {

// Numbers of a step; those of `out` as they are, or as halves are.
struct SeriesStep {
  int terms;
  bool takes;  // states take up the slot; else they have done so
  const double *decay, *into, *out;
  double scale;
};

// Stored: of the states, double, float or Half. N: neighbors of a thread of a GPU, which do not matter for results.
template <class Stored, int N>
struct SeriesBody : GroupedNodes<SeriesBody<Stored, N>, N> {
  double *slot, *first;  // takes: delta' and what becomes it; slot becomes the history
  Stored* states;        // [n][node]
  Index distance;        // between states of a node
  SeriesStep step;

  template <class V>
  HALOCLINE_HD void node(Index at) const {
    using T = Computed<Stored>;
    using Q = Numbers<V, T>;
    using D = Numbers<V, double>;
    Q sum = none<Q>();
    Q increment = none<Q>();
    if (step.takes) {
      const D last = taken<D>(slot + at);
      put(first + at, last);
      increment = taken<Q>(slot + at);
    }
    for (int n = 0; n < step.terms; ++n) {
      Stored* const state = states + n * distance + at;
      Q q = taken<Q>(state);
      if (step.takes) {
        q = kept<Stored>(fma(static_cast<T>(step.into[n]), increment, static_cast<T>(step.decay[n]) * q));
        put(state, q);
      }
      sum = fma(static_cast<T>(step.out[n]), q, sum);
    }
    D history;
    widen(sum, history);
    put(slot + at, step.scale * history);
  }

 private:
  static HALOCLINE_HD void widen(double from, double& to) { to = from; }
  static HALOCLINE_HD void widen(float from, double& to) { to = static_cast<double>(from); }
  template <class T>
  static HALOCLINE_HD void widen(const Pack<T>& from, Pack<double>& to) {
    to = widened(from);
  }
  template <class T>
  static HALOCLINE_HD void widen(const Few<T, N>& from, Few<double, N>& to) {
    for (int i = 0; i < N; ++i) to.of[i] = static_cast<double>(from.of[i]);
  }
};

// The beginning: states, the increment and the history are 0.
template <class Stored>
struct ClearSeriesBody : GroupedNodes<ClearSeriesBody<Stored>, 1> {
  double *slot, *first;
  Stored* states;
  Index distance;
  int terms;
  template <class V>
  HALOCLINE_HD void node(Index at) const {
    put(slot + at, none<V>());
    put(first + at, none<V>());
    for (int n = 0; n < terms; ++n) put(states + n * distance + at, none<Numbers<V, Computed<Stored>>>());
  }
};

}  // namespace halocline::fractional
