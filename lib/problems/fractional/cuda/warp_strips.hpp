// The tree of a line whose strips are lanes of a warp, or of half a warp: ends stay in registers and go from lane to
// lane by shuffles, so that no line waits for others. For .cu files.
#pragma once

#include "lib/problems/fractional/cuda/block_strips.hpp"

namespace halocline::fractional {

constexpr int most_lanes = 32, most_levels = 5;

// The pair that a lane has a part in at a level: strips begin .. a and a + 1 .. b.
struct LanePair {
  int begin, a, b;
  bool exists;
  __device__ LanePair(int lane, int level, int count)
      : begin(lane & -(2 << level)),
        a(begin + (1 << level) - 1),
        b((begin + (2 << level) < count ? begin + (2 << level) : count) - 1),
        exists(a + 1 < count) {}
};

// What lanes need of the joins of a line, in shared memory, [level][what][lane].
struct LaneJoins {
  enum What : int { a_last, b_first, det, outer, v, w, numbers };  // outer: of the node's end on the lane's side
  static constexpr int size = most_levels * numbers * most_lanes;
  double* data;
  __device__ double& at(int level, int what, int lane) const {
    return data[(level * numbers + what) * most_lanes + lane];
  }
  // By all threads of a block.
  __device__ void set(const strips::CommonLine<double>& line, int thread, int threads) const {
    for (int n = thread; n < most_levels * most_lanes; n += threads) {
      const int level = n / most_lanes, lane = n % most_lanes;
      const LanePair pair(lane, level, static_cast<int>(line.layout.count));
      const strips::Join<double> join = pair.exists ? line.joins[pair.a] : strips::Join<double>{};
      const bool in_a = lane <= pair.a;
      at(level, a_last, lane) = join.a_last;
      at(level, b_first, lane) = join.b_first;
      at(level, det, lane) = join.det;
      at(level, outer, lane) = in_a ? join.a_first : join.b_last;
      at(level, v, lane) = in_a ? join.vx : join.vy;
      at(level, w, lane) = in_a ? join.wx : join.wy;
    }
  }
};

// Places of a pair as join_pair() and part_pair() see it from a lane: 0, 3 the lane's own ends, 1 the last of A, 2 the
// first of B; -1 and 4 beyond the pair.
struct PairPlaces {
  static __device__ strips::JoinStep step() { return {0, 0, 1, 3}; }
  strips::Ends<double>* own;
  double *inner_a, *inner_b;
  double L, R;
  __device__ double get(int place, int /*kind*/, int /*side*/) const {
    return place == 0   ? own->first
           : place == 1 ? *inner_a
           : place == 2 ? *inner_b
           : place == 3 ? own->last
           : place < 0  ? L
                        : R;
  }
  __device__ void set(int place, int /*kind*/, int /*side*/, double value) const {
    (place == 0 ? own->first : place == 1 ? *inner_a : place == 2 ? *inner_b : own->last) = value;
  }
};

// Ends of a whole line, as close_line() sees it.
struct LinePlaces {
  double first, last;
  strips::Ends<double>* beyond;  // L and R
  __device__ double get(int /*place*/, int /*kind*/, int side) const { return side == 0 ? first : last; }
  __device__ void set(int /*place*/, int /*kind*/, int side, double value) const {
    (side == 1 ? beyond->first : beyond->last) = value;
  }
};

// Ends of g of the lane's strip to L and R beside it. By all threads of a warp; `lanes` of them hold a line.
__device__ __forceinline__ strips::Ends<double> solve_tree_in_lanes(const strips::CommonLine<double>& line,
                                                                    const LaneJoins& joins, int lane, int lanes,
                                                                    strips::Ends<double> own) {
  const int count = static_cast<int>(line.layout.count);
  const auto from = [&](double value, int other) { return __shfl_sync(~0U, value, other & (lanes - 1), lanes); };
  int level = 0;
#pragma unroll 1
  for (; 1 << level < count; ++level) {
    const LanePair pair(lane, level, count);
    double x = from(own.last, pair.a), y = from(own.first, pair.a + 1);
    strips::Ends<double> outer = own;
    strips::Join<double> join{};
    join.a_last = joins.at(level, LaneJoins::a_last, lane);
    join.b_first = joins.at(level, LaneJoins::b_first, lane);
    join.det = joins.at(level, LaneJoins::det, lane);
    join.a_first = join.b_last = joins.at(level, LaneJoins::outer, lane);
    strips::join_pair<double>(join, PairPlaces::step(), PairPlaces{&outer, &x, &y, 0, 0});
    if (!pair.exists) continue;
    own.first = lane == pair.begin ? outer.first : lane == pair.a + 1 ? y : own.first;
    own.last = lane == pair.a ? x : lane == pair.b ? outer.last : own.last;
  }
  strips::Ends<double> beyond{0, 0};
  strips::close_line<double>(line, count, LinePlaces{from(own.first, 0), from(own.last, count - 1), &beyond});
#pragma unroll 1
  for (--level; level >= 0; --level) {
    const LanePair pair(lane, level, count);
    const double before = from(own.last, pair.begin - 1), behind = from(own.first, pair.b + 1);
    const double v = joins.at(level, LaneJoins::v, lane), w = joins.at(level, LaneJoins::w, lane);
    double x = own.last, y = own.first;
    strips::part_pair<double>(v, w, v, w, PairPlaces::step(),
                              PairPlaces{nullptr, &x, &y, pair.begin == 0 ? beyond.first : before,
                                         pair.b + 1 == count ? beyond.last : behind});
    if (pair.exists && lane == pair.a) own.last = x;
    if (pair.exists && lane == pair.a + 1) own.first = y;
  }
  const double before = from(own.last, lane - 1), behind = from(own.first, lane + 1);
  return {lane == 0 ? beyond.first : before, lane + 1 == count ? beyond.last : behind};
}

}  // namespace halocline::fractional
