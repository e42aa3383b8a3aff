// The flush of history_kernels.hpp as hosts run it: the same sums in the same order, so the same bits, a tile of nodes
// at a time. Some states, and then some slots, are worked on together, as many as registers hold: each of them waits
// for its last product, and a number of a table serves all lanes.
#pragma once

#include <algorithm>

#include "lib/base/view.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"

namespace halocline::fractional {

// T: as in history_kernels.hpp.
template <class T>
struct HostFlushBody {
  static constexpr Index tile = 512 / sizeof(T);  // nodes: 512 bytes of each field, all of them near the processor
  static constexpr int together = 4;
  FlushTablesOf<T> tables;
  SlotsOf<T> slots;
  T* first;
  StatesOf<T> states;
  bool takes;
  Index nodes;  // a multiple of `lanes`

  Range<1> tiles() const { return {{0}, {(nodes + tile - 1) / tile}}; }

  [[gnu::flatten]] void operator()(Index n) const {
    const HostFlushBody body = *this;
    const Index begin = n * tile;
    Buffers kept;
    body.run({begin, static_cast<int>(std::min(tile, body.nodes - begin))}, kept);
  }

 private:
  using P = Pack<T>;
  struct Tile {
    Index begin;
    int nodes;
  };
  // Of a tile. Fields begin at like addresses, which would drive each other out of the first cache.
  struct Buffers {
    alignas(64) T increments[most_slots * tile], states[most_states * tile];
  };

  void run(const Tile& at, Buffers& kept) const {
    if (takes)
      for (int j = 0; j < tables.width; ++j) copy(slots.data[j] + at.begin, kept.increments + j * tile, at.nodes);
    int k = 0;
    for (; k + together <= tables.terms; k += together) {
      ask_for(k + together, at);
      take_up<together>(k, at, kept);
    }
    for (; k < tables.terms; ++k) take_up<1>(k, at, kept);
    if (takes) copy(kept.increments + (tables.width - 1) * tile, first + at.begin, at.nodes);
    int j = 0;
    for (; j + together <= tables.width; j += together) send_out<together>(j, at, kept);
    for (; j < tables.width; ++j) send_out<1>(j, at, kept);
  }

  static void copy(const T* from, T* to, int nodes) {
    for (int i = 0; i < nodes; i += lanes) store(to + i, load<P>(from + i));
  }

  // There are too many fields for processors to foresee what comes next.
  void ask_for(int from, const Tile& at) const {
    for (int k = from; k < std::min(from + together, tables.terms); ++k)
      for (int i = 0; i < at.nodes; i += lanes) __builtin_prefetch(states.data[k] + at.begin + i, 1);
  }

  // States k .. k + Count - 1, to memory and into `kept`.
  template <int Count>
  void take_up(int k, const Tile& at, Buffers& kept) const {
    const int width = tables.width;
    const T* const into = tables.into + k * width;
    for (int i = 0; i < at.nodes; i += lanes) {
      P q[Count];
      for (int c = 0; c < Count; ++c) q[c] = load<P>(states.data[k + c] + at.begin + i);
      if (takes) {
        const P before = load<P>(first + at.begin + i);
        for (int c = 0; c < Count; ++c)
          q[c] = fma(tables.from_first[k + c], before, DecayOf<T>::of(tables.decay[k + c], q[c]));
        for (int j = 0; j < width; ++j) {
          const P increment = load<P>(kept.increments + j * tile + i);
          for (int c = 0; c < Count; ++c) q[c] = fma(into[c * width + j], increment, q[c]);
        }
        for (int c = 0; c < Count; ++c) store(states.data[k + c] + at.begin + i, q[c]);
      }
      for (int c = 0; c < Count; ++c) store(kept.states + (k + c) * tile + i, q[c]);
    }
  }

  // Far values of slots j .. j + Count - 1.
  template <int Count>
  void send_out(int j, const Tile& at, const Buffers& kept) const {
    for (int i = 0; i < at.nodes; i += lanes) {
      P far[Count];
      for (int c = 0; c < Count; ++c) far[c] = zero<P>();
      for (int k = 0; k < tables.terms; ++k) {
        const P q = load<P>(kept.states + k * tile + i);
        for (int c = 0; c < Count; ++c) far[c] = fma(tables.out[k * tables.width + j + c], q, far[c]);
      }
      for (int c = 0; c < Count; ++c) store(slots.data[j + c] + at.begin + i, far[c]);
    }
  }
};

}  // namespace halocline::fractional
