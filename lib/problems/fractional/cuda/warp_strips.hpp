// The tree of a line whose strips are lanes of a warp, or of half a warp: ends stay in registers and go from lane to
// lane by shuffles, so that no line waits for others. For .cu files.
#pragma once

#include "lib/problems/fractional/cuda/block_strips.hpp"

namespace halocline::fractional {

constexpr int most_lanes = 32, most_levels = 5;

// A number of each of N lines that a lane has strips of, at the same place: factors are read once for all.
template <class T, int N>
struct OfLines {
  T of[N];
  OfLines() = default;
  __device__ OfLines(T all) {  // NOLINT: as numbers are
    for (int n = 0; n < N; ++n) of[n] = all;
  }
};
template <class T, int N>
__device__ __forceinline__ OfLines<T, N> fma(std::type_identity_t<T> a, const OfLines<T, N>& b, OfLines<T, N> c) {
  for (int n = 0; n < N; ++n) c.of[n] = halocline::fma(a, b.of[n], c.of[n]);
  return c;
}
template <class T, int N>
__device__ __forceinline__ OfLines<T, N> operator*(std::type_identity_t<T> a, OfLines<T, N> b) {
  for (int n = 0; n < N; ++n) b.of[n] = a * b.of[n];
  return b;
}

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
template <class T>
struct LaneJoins {
  enum What : int { a_last, b_first, det, outer, v, w, numbers };  // outer: of the node's end on the lane's side
  static constexpr int size = most_levels * numbers * most_lanes;
  T* data;
  __device__ T& at(int level, int what, int lane) const { return data[(level * numbers + what) * most_lanes + lane]; }
  // By all threads of a block.
  __device__ void set(const strips::CommonLine<T>& line, int thread, int threads) const {
    for (int n = thread; n < most_levels * most_lanes; n += threads) {
      const int level = n / most_lanes, lane = n % most_lanes;
      const LanePair pair(lane, level, static_cast<int>(line.layout.count));
      const strips::Join<T> join = pair.exists ? line.joins[pair.a] : strips::Join<T>{};
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
template <class T>
struct PairPlaces {
  static __device__ strips::JoinStep step() { return {0, 0, 1, 3}; }
  strips::Ends<T>* own;
  T *inner_a, *inner_b;
  T L, R;
  __device__ T get(int place, int /*kind*/, int /*side*/) const {
    return place == 0   ? own->first
           : place == 1 ? *inner_a
           : place == 2 ? *inner_b
           : place == 3 ? own->last
           : place < 0  ? L
                        : R;
  }
  __device__ void set(int place, int /*kind*/, int /*side*/, T value) const {
    (place == 0 ? own->first : place == 1 ? *inner_a : place == 2 ? *inner_b : own->last) = value;
  }
};

// Ends of a whole line, as close_line() sees it.
template <class T>
struct LinePlaces {
  T first, last;
  strips::Ends<T>* beyond;  // L and R
  __device__ T get(int /*place*/, int /*kind*/, int side) const { return side == 0 ? first : last; }
  __device__ void set(int /*place*/, int /*kind*/, int side, T value) const {
    (side == 1 ? beyond->first : beyond->last) = value;
  }
};

// Ends of g of the lane's strips, of N lines, to L and R beside them. By all threads of a warp; `lanes` of them hold a
// line.
template <class T, int N>
__device__ __forceinline__ strips::Ends<OfLines<T, N>> solve_tree_in_lanes(const strips::CommonLine<T>& line,
                                                                           const LaneJoins<T>& joins, int lane,
                                                                           int lanes, strips::Ends<OfLines<T, N>> own) {
  using Joins = LaneJoins<T>;
  using P = OfLines<T, N>;
  using Places = PairPlaces<P>;
  const int count = static_cast<int>(line.layout.count);
  const auto from = [&](P value, int other) {
    for (int n = 0; n < N; ++n) value.of[n] = __shfl_sync(~0U, value.of[n], other & (lanes - 1), lanes);
    return value;
  };
  int level = 0;
#pragma unroll 1
  for (; 1 << level < count; ++level) {
    const LanePair pair(lane, level, count);
    P x = from(own.last, pair.a), y = from(own.first, pair.a + 1);
    strips::Ends<P> outer = own;
    strips::Join<T> join{};
    join.a_last = joins.at(level, Joins::a_last, lane);
    join.b_first = joins.at(level, Joins::b_first, lane);
    join.det = joins.at(level, Joins::det, lane);
    join.a_first = join.b_last = joins.at(level, Joins::outer, lane);
    strips::join_pair<P>(join, Places::step(), Places{&outer, &x, &y, P(0), P(0)});
    if (!pair.exists) continue;
    own.first = lane == pair.begin ? outer.first : lane == pair.a + 1 ? y : own.first;
    own.last = lane == pair.a ? x : lane == pair.b ? outer.last : own.last;
  }
  strips::Ends<P> beyond{0, 0};
  strips::close_line<P>(line, count, LinePlaces<P>{from(own.first, 0), from(own.last, count - 1), &beyond});
#pragma unroll 1
  for (--level; level >= 0; --level) {
    const LanePair pair(lane, level, count);
    const P before = from(own.last, pair.begin - 1), behind = from(own.first, pair.b + 1);
    const T v = joins.at(level, Joins::v, lane), w = joins.at(level, Joins::w, lane);
    P x = own.last, y = own.first;
    strips::part_pair<P>(
        v, w, v, w, Places::step(),
        Places{nullptr, &x, &y, pair.begin == 0 ? beyond.first : before, pair.b + 1 == count ? beyond.last : behind});
    if (pair.exists && lane == pair.a) own.last = x;
    if (pair.exists && lane == pair.a + 1) own.first = y;
  }
  const P before = from(own.last, lane - 1), behind = from(own.first, lane + 1);
  return {lane == 0 ? beyond.first : before, lane + 1 == count ? beyond.last : behind};
}

}  // namespace halocline::fractional
