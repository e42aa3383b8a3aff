// Bodies of the vector operations: a group of rows x lanes at a time, two accumulators per sum (even and odd rows).
#pragma once

#include "lib/base/pack.hpp"
#include "lib/base/view.hpp"

namespace halocline::vector_kernels {

struct AxpyBody {
  double a;
  const double* x;
  double* y;
  Index rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index lane) const {
    const Index start = group * rows * lanes + lane;
    for (Index k = 0; k < rows; ++k) {
      const Index at = start + k * lanes;
      store(y + at, load<P>(y + at) + a * load<P>(x + at));
    }
  }
};

struct DirectionBody {
  double b, c;
  const double* r;
  const double* v;
  double* p;
  Index rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index lane) const {
    const Index start = group * rows * lanes + lane;
    for (Index k = 0; k < rows; ++k) {
      const Index at = start + k * lanes;
      store(p + at, load<P>(r + at) + b * load<P>(p + at) + c * load<P>(v + at));
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
  Index rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index lane, Sink& sink) const {
    const Index start = group * rows * lanes + lane;
    P xy[2] = {zero<P>(), zero<P>()}, xx[2] = {zero<P>(), zero<P>()};
    for (Index k = 0; k < rows; k += 2) {
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
  Index rows;
  bool lane_is_chunk;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index lane, Sink& sink) const {
    const Index start = group * rows * lanes + lane;
    P ss[2] = {zero<P>(), zero<P>()}, sw[2] = {zero<P>(), zero<P>()};
    for (Index k = 0; k < rows; k += 2) {
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const P old = load<P>(s + at);
        store(x + at, load<P>(x + at) + (a * load<P>(p + at) + o * old));
        const P next = old - o * load<P>(t + at);
        store(s + at, next);
        ss[q] = ss[q] + next * next;
        sw[q] = sw[q] + next * load<P>(w + at);
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
