// How prisms are cut (prism_thread.hpp): tiles of an axis, chunks of planes, warps of a block.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lib/fields/slab_layout.hpp"

namespace halocline::diffusion {

// One pass: cells of the last stage. Walls keep records for planes [own.lo, own.hi) and take stage s at level
// `level` + s.
struct PrismPass {
  SlabBox cells;
  SlabRows own;
  int level;
};

enum class PrismSide { wall, ring, open };  // open: cells beyond are in memory

// Cells [from, to) of an axis of `all` that a pass is to compute, and those around it that come in for them.
struct PrismSpan {
  Index all = 0, from = 0, to = 0;
  Index below = 0, above = 0;  // cells read beyond either end
  PrismSide low = PrismSide::wall, high = PrismSide::wall;
  PrismSpan() = default;
  PrismSpan(Index cells, SlabRows wanted, Index margin, PrismSide at_low, PrismSide at_high)
      : all(cells), from(wanted.lo), to(wanted.hi), low(at_low), high(at_high) {
    below = low == PrismSide::wall ? std::min(margin, from) : margin;
    above = high == PrismSide::wall ? std::min(margin, all - to) : margin;
  }
  HALOCLINE_HD Index length() const { return below + to - from + above; }
};

// How an axis is cut: tiles of `length` cells, each `margin` cells away from the next one's own.
struct PrismCut {
  PrismSpan span;
  Index length = 0, margin = 0, count = 0;
  PrismCut() = default;
  PrismCut(const PrismSpan& cells, Index tile, Index rim) : span(cells), length(tile), margin(rim) {
    const Index step = length - 2 * margin, more = span.length() - length;
    count = more <= 0 ? 1 : 1 + (more + step - 1) / step;
  }
  HALOCLINE_HD bool ring() const { return span.low == PrismSide::ring; }
  HALOCLINE_HD Index start(Index k) const { return span.from - span.below + k * (length - 2 * margin); }
  // Cells that tile k is to compute.
  HALOCLINE_HD Index own_begin(Index k) const { return k == 0 ? span.from : start(k) + margin; }
  HALOCLINE_HD Index own_end(Index k) const { return k == count - 1 ? span.to : start(k) + length - margin; }
  // Whether tile k has cells at walls, beyond a periodic side or beyond what is in memory for certain.
  HALOCLINE_HD bool at_side(Index k) const {
    const bool low = span.low != PrismSide::open && start(k) <= 0;
    const Index end = span.high == PrismSide::open ? span.to + span.above : span.all - 1;
    return low || start(k) + length > end;
  }
  HALOCLINE_HD Index inside(Index i) const {
    return !ring() || (i >= 0 && i < span.all) ? i : (i % span.all + span.all) % span.all;
  }
  // Whether there is a cell at inside(i).
  HALOCLINE_HD bool known(Index i) const { return ring() || i < span.to + span.above; }
};

struct Prisms {
  PrismCut x, y;
  Index chunk = 0;  // planes
  int places = 0;   // at walls across x and y that a tile may have beside it
  bool held = false;
};

constexpr int prism_ahead = 2;  // planes on their way

// Shared memory: planes as they come, then the outermost rows of every warp in the later stages, twice, then walls.
HALOCLINE_HD constexpr std::size_t prism_shared_bytes(int rows, int warps, int stages) {
  return static_cast<std::size_t>(512 * warps * ((prism_ahead + 2) * rows + 4 * (stages - 1)));
}

// Places beside a tile, `along` cells at a wall across the axis that is cut.
HALOCLINE_HD inline int prism_wall_places(bool walls, const PrismCut& cut, int along) {
  return !walls ? 0 : cut.count == 1 ? 2 * along : along;
}
// Planes of which walls are known: from those on their way to that of the last stage.
HALOCLINE_HD constexpr int prism_wall_slots(int stages) { return prism_ahead + stages + 1; }
HALOCLINE_HD constexpr std::size_t prism_wall_bytes(int places, int stages, std::size_t value) {
  return static_cast<std::size_t>(prism_wall_slots(stages) * 2 * places) * (sizeof(double) + value);
}

// Warps of a block, at most `most`: as many as shared memory has room for, and no more than tiles of the same number
// need.
inline int prism_warps(const PrismSpan& span, int rows, int stages, int most, std::size_t value,
                       std::size_t shared_bytes) {
  const auto covered = [&](int warps) { return span.length() <= warps * rows; };  // by one tile
  const auto valid = [&](int warps) { return warps > 0 && (covered(warps) || warps * rows > 2 * stages); };
  const auto tiles = [&](int warps) { return PrismCut(span, warps * rows, stages).count; };
  int warps = most;
  const auto bytes = [&](int n) {  // at most
    const int places = 2 * (n * rows + static_cast<int>(512 / value));
    return prism_shared_bytes(rows, n, stages) + prism_wall_bytes(places, stages, value);
  };
  while (valid(warps - 1) && bytes(warps) > shared_bytes) --warps;
  const Index count = tiles(warps);
  while (valid(warps - 1) && tiles(warps - 1) == count) --warps;
  return warps;
}

// Planes of a chunk: `slots` blocks run at a time; shorter chunks leave fewer of them idle at the end, at the cost of
// planes read and computed twice.
inline Index prism_chunk(Index planes, Index tiles, Index slots, int stages) {
  Index best = planes;
  double least = 0;
  for (Index chunks = 1; chunks <= std::max<Index>(1, planes / (4 * stages)) && chunks <= 64; ++chunks) {
    const Index chunk = (planes + chunks - 1) / chunks;
    const double rounds = static_cast<double>(tiles * chunks) / static_cast<double>(slots);
    const double time = (std::max(rounds, 1.0) + 1) * static_cast<double>(chunk + 2 * stages);
    if (chunks == 1 || time < least) least = time, best = chunk;
  }
  return best;
}

}  // namespace halocline::diffusion
