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
  using Number = Computed<T>;
  // Nodes: 512 bytes of each field, as it is computed with, all of them near the processor.
  static constexpr Index tile = 512 / sizeof(Number);
  static constexpr int together = 4;
  FlushTablesOf<Number> tables;
  SlotsOf<T> slots;
  FirstOf<T> first;
  StatesOf<T> states;
  bool takes;
  NodeStretches nodes;  // of multiples of `lanes`

  Index tiles_of_stretch() const { return (nodes.nodes + tile - 1) / tile; }
  Range<1> tiles() const { return {{0}, {nodes.count * tiles_of_stretch()}}; }

  [[gnu::flatten]] void operator()(Index n) const {
    const HostFlushBody body = *this;
    const Index of_stretch = body.tiles_of_stretch(), begin = n % of_stretch * tile;
    Buffers kept;
    body.run({n / of_stretch * body.nodes.distance + begin, static_cast<int>(std::min(tile, body.nodes.nodes - begin))},
             kept);
  }

 private:
  using P = Pack<Number>;
  struct Tile {
    Index begin;
    int nodes;
  };
  // Of a tile. Fields begin at like addresses, which would drive each other out of the first cache.
  struct Buffers {
    alignas(64) Number increments[most_slots * tile], states[most_states * tile];
  };

  void run(const Tile& at, Buffers& kept) const {
    if (takes)
      for (int j = 0; j < tables.width; ++j)
        for (int i = 0; i < at.nodes; i += lanes)
          store(kept.increments + j * tile + i, slots.template load<P>(j, at.begin + i));
    int k = 0;
    for (; k + together <= tables.terms; k += together) {
      ask_for(k + together, at);
      take_up<together>(k, at, kept);
    }
    for (; k < tables.terms; ++k) take_up<1>(k, at, kept);
    for (int i = 0; takes && i < at.nodes; i += lanes)
      first.store(0, at.begin + i, load<P>(kept.increments + (tables.width - 1) * tile + i));
    int j = 0;
    for (; j + together <= tables.width; j += together) send_out<together>(j, at, kept);
    for (; j < tables.width; ++j) send_out<1>(j, at, kept);
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
    const Number* const into = tables.into + k * width;
    for (int i = 0; i < at.nodes; i += lanes) {
      P q[Count];
      for (int c = 0; c < Count; ++c) q[c] = states.template load<P>(k + c, at.begin + i);
      if (takes) {
        const P before = first.template load<P>(0, at.begin + i);
        for (int c = 0; c < Count; ++c)
          q[c] = fma(tables.from_first[k + c], before, DecayOf<Number>::of(tables.decay[k + c], q[c]));
        for (int j = 0; j < width; ++j) {
          const P increment = load<P>(kept.increments + j * tile + i);
          for (int c = 0; c < Count; ++c) q[c] = fma(into[c * width + j], increment, q[c]);
        }
        for (int c = 0; c < Count; ++c) q[c] = states.store(k + c, at.begin + i, q[c]);
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
      for (int c = 0; c < Count; ++c) slots.store(j + c, at.begin + i, far[c]);
    }
  }
};

}  // namespace halocline::fractional
