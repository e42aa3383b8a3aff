// Bodies of the vector operations: a piece of a group of rows x lanes at a time, by two rows, with two accumulators per
// sum (even and odd rows).
#pragma once

#include "lib/base/pack.hpp"
#include "lib/base/view.hpp"

namespace halocline::vector_kernels {

// Rows of a group and how they are cut into pieces. On the host a piece is a whole group. On a GPU `across` pieces, one
// thread each, share a block of `block` rows: every thread takes two rows, then the next two that the others leave, so
// that the block reads memory in one stream.
struct Rows {
  Index count, block, across;  // count and block are even
  HALOCLINE_HD Index pieces() const { return (count + block - 1) / block * across; }
  HALOCLINE_HD Index begin(Index n) const { return n / across * block + n % across * 2; }
  HALOCLINE_HD Index end(Index n) const { return (n / across + 1) * block < count ? (n / across + 1) * block : count; }
  HALOCLINE_HD Index step() const { return 2 * across; }
  HALOCLINE_HD Index start(Index group, Index lane) const { return group * count * lanes + lane; }
};

struct AxpyBody {
  double a;
  const double* x;
  double* y;
  Rows rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    const Index start = rows.start(group, lane), end = rows.end(piece);
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      const Index at = start + k * lanes, next = at + lanes;
      const P first = load<P>(y + at) + a * load<P>(x + at);
      const P second = load<P>(y + next) + a * load<P>(x + next);
      store(y + at, first);
      store(y + next, second);
    }
  }
};

struct DirectionBody {
  double b, c;
  const double* r;
  const double* v;
  double* p;
  Rows rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    const Index start = rows.start(group, lane), end = rows.end(piece);
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      const Index at = start + k * lanes, next = at + lanes;
      const P first = load<P>(r + at) + b * load<P>(p + at) + c * load<P>(v + at);
      const P second = load<P>(r + next) + b * load<P>(p + next) + c * load<P>(v + next);
      store(p + at, first);
      store(p + next, second);
    }
  }
};

// Hands the sums of a group to the sink, lane by lane or joined.
template <class P, class Sink>
HALOCLINE_HD void deliver(Sink& sink, int which, const P& value, bool lane_is_chunk) {
  if (lane_is_chunk) {
    sink.add(which, value);
  } else {
    sink.add_joined(which, value);
  }
}

struct DotsBody {
  const double* x;
  const double* y;
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    const Index start = rows.start(group, lane), end = rows.end(piece);
    P xy[2] = {zero<P>(), zero<P>()}, xx[2] = {zero<P>(), zero<P>()};
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const P value = load<P>(x + at);
        xy[q] = xy[q] + value * load<P>(y + at);
        xx[q] = xx[q] + value * value;
      }
    }
    deliver(sink, 0, xy[0] + xy[1], lane_is_chunk);
    deliver(sink, 1, xx[0] + xx[1], lane_is_chunk);
  }
};

struct UpdateBody {
  double a, o;
  const double* p;
  const double* t;
  const double* w;
  double* x;
  double* s;
  Rows rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    const Index start = rows.start(group, lane), end = rows.end(piece);
    P ss[2] = {zero<P>(), zero<P>()}, sw[2] = {zero<P>(), zero<P>()};
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        // All loads before the first store, which they could not pass.
        const P old = load<P>(s + at), old_x = load<P>(x + at), from_p = load<P>(p + at), from_t = load<P>(t + at);
        const P from_w = load<P>(w + at);
        store(x + at, old_x + (a * from_p + o * old));
        const P next = old - o * from_t;
        store(s + at, next);
        ss[q] = ss[q] + next * next;
        sw[q] = sw[q] + next * from_w;
      }
    }
    deliver(sink, 0, ss[0] + ss[1], lane_is_chunk);
    deliver(sink, 1, sw[0] + sw[1], lane_is_chunk);
  }
};

struct FillBody {
  double* x;
  double value;
  HALOCLINE_HD void operator()(Index i) const { x[i] = value; }
};

}  // namespace halocline::vector_kernels
