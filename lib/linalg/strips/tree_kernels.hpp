// The tree that joins the strips of a line: a binary heap over the strips, its leaves padded to a power of two; a node
// with one child is that child. Nodes A and B with L before A and R behind B have for x, the last row of A, and y, the
// first row of B:
//   x = x0 + vx L + wx R,   y = y0 + vy L + wy R
// Joining happens in place: of the four values at the ends of A and B the outer two become those of the joined node,
// the inner two x0 and y0; on the way down these become x and y, which are u. So in the end every place holds u in the
// first and last row of its strip, and a strip finds its L and R in the places beside its own. There is one place more
// before the first and behind the last strip, for L and R of the line.
#pragma once

#include "lib/linalg/strips/strip_kernels.hpp"

namespace halocline::strips {

// Two nodes and where they lie: A in places a_first to a_last, B behind it to b_last. `join`: number of the pair's
// Join; pairs are numbered by the last strip of A.
struct JoinStep {
  int join, a_first, a_last, b_last;
};
// Pairs in the order in which they are joined.
struct JoinSteps {
  const JoinStep* data = nullptr;
  int count = 0;
};

// Factors of a pair.
template <class Q>
struct Join {
  Q a_last, b_first, det;  // wA_l, vB_f, 1 / (1 - wA_l vB_f)
  Q a_first, b_last;       // wA_f, vB_l
  Q vx, wx, vy, wy;
};

// u_f = ff g_f + fl g_l,  u_l = lf g_f + ll g_l: first and last row of a periodic line.
template <class Q>
struct Closure {
  Q ff, fl, lf, ll;
};

template <class P>
HALOCLINE_HD inline Join<P> make_join(const Response<P>& a, const Response<P>& b) {
  const P det = reciprocal(fma(minus(a.w.last), b.v.first, one_like(a.w.last)));
  return {a.w.last,
          b.v.first,
          det,
          a.w.first,
          b.v.last,
          det * a.v.last,
          det * (a.w.last * b.w.first),
          det * (b.v.first * a.v.last),
          det * b.w.first};
}
// v and w of the joined node.
template <class P>
HALOCLINE_HD inline void join_responses(const Join<P>& join, const Response<P>& a, const Response<P>& b, Ends<P>& v,
                                        Ends<P>& w) {
  v = {fma(a.w.first, join.vy, a.v.first), b.v.last * join.vx};
  w = {a.w.first * join.wy, fma(b.v.last, join.wx, b.w.last)};
}

// (1 - w_f) u_f - v_f u_l = g_f,  (1 - v_l) u_l - w_l u_f = g_l
template <class P>
HALOCLINE_HD inline Closure<P> make_closure(const Ends<P>& v, const Ends<P>& w) {
  const P one = one_like(v.first);
  const P first = fma(minus(one), w.first, one), last = fma(minus(one), v.last, one);
  const P det = reciprocal(fma(first, last, minus(v.first * w.last)));
  return {det * last, det * v.first, det * w.last, det * first};
}

// Ends in memory, [place + 1][kind][first, last][line]: kinds are g, and v and w where lines have their own
// coefficients.
template <class T>
struct EndTable {
  T* data = nullptr;
  Index lines = 0;  // a multiple of `lanes`
  int kinds = 1;
  HALOCLINE_HD T* at(int place, int kind, int side, Index line) const {
    return data + ((static_cast<Index>(place + 1) * kinds + kind) * 2 + side) * lines + line;
  }
  HALOCLINE_HD static Index size(Index places, int kinds, Index lines) { return (places + 2) * kinds * 2 * lines; }
  // The same with a place further on in the place of 0.
  HALOCLINE_HD EndTable from(Index place) const { return {data + place * kinds * 2 * lines, lines, kinds}; }
};
// Those of one line, or of eight.
template <class P, class T>
struct LineEnds {
  EndTable<T> table;
  Index line;
  HALOCLINE_HD P get(int place, int kind, int side) const { return load<P>(table.at(place, kind, side, line)); }
  HALOCLINE_HD void set(int place, int kind, int side, const P& value) const {
    store(table.at(place, kind, side, line), value);
  }
};
// The same in an array of (places + 2) * kinds * 2 values of a P each.
template <class P, int kinds>
struct LocalEnds {
  NumberOf<P>* data;
  HALOCLINE_HD NumberOf<P>* at(int place, int kind, int side) const {
    return data + (((place + 1) * kinds + kind) * 2 + side) * (sizeof(P) / sizeof(NumberOf<P>));
  }
  HALOCLINE_HD P get(int place, int kind, int side) const { return load<P>(at(place, kind, side)); }
  HALOCLINE_HD void set(int place, int kind, int side, const P& value) const { store(at(place, kind, side), value); }
};

// g of a pair, in place. Q: P, or T for common coefficients.
template <class P, class Q, class Places>
HALOCLINE_HD inline void join_pair(const Join<Q>& join, const JoinStep& step, const Places& ends) {
  const P a_last = ends.get(step.a_last, 0, 1), b_first = ends.get(step.a_last + 1, 0, 0);
  const P x = join.det * fma(join.a_last, b_first, a_last), y = join.det * fma(join.b_first, a_last, b_first);
  ends.set(step.a_first, 0, 0, fma(join.a_first, y, ends.get(step.a_first, 0, 0)));
  ends.set(step.b_last, 0, 1, fma(join.b_last, x, ends.get(step.b_last, 0, 1)));
  ends.set(step.a_last, 0, 1, x);
  ends.set(step.a_last + 1, 0, 0, y);
}
// x and y of a pair from x0, y0 and its L and R.
template <class P, class Q, class Places>
HALOCLINE_HD inline void part_pair(const Q& vx, const Q& wx, const Q& vy, const Q& wy, const JoinStep& step,
                                   const Places& ends) {
  const P L = ends.get(step.a_first - 1, 0, 1), R = ends.get(step.b_last + 1, 0, 0);
  ends.set(step.a_last, 0, 1, fma(wx, R, fma(vx, L, ends.get(step.a_last, 0, 1))));
  ends.set(step.a_last + 1, 0, 0, fma(wy, R, fma(vy, L, ends.get(step.a_last + 1, 0, 0))));
}

// What bodies know of lines with common coefficients, in memory of their device.
template <class T>
struct CommonLine {
  static constexpr int kinds = 1;
  StripLayout layout;
  StripTable<T> table;
  const Join<T>* joins = nullptr;
  JoinSteps steps;  // of the whole line
  Closure<T> closure{};
  bool periodic = false;
};
// Lines with coefficients of their own.
struct OwnLine {
  static constexpr int kinds = 3;
  StripLayout layout;
  JoinSteps steps;  // of the whole line
  bool periodic = false;
};

template <class P, class Places>
HALOCLINE_HD inline Response<P> response_of(const Places& ends, int first, int last) {
  const auto kind = [&](int k) { return Ends<P>{ends.get(first, k, 0), ends.get(last, k, 1)}; };
  return {kind(0), kind(1), kind(2)};
}

// A pair of common coefficients, and the way back.
template <class P, class T, class Places>
HALOCLINE_HD inline void join_nodes(const CommonLine<T>& line, const JoinStep& step, const Places& ends) {
  join_pair<P>(line.joins[step.join], step, ends);
}
template <class P, class T, class Places>
HALOCLINE_HD inline void part_nodes(const CommonLine<T>& line, const JoinStep& step, const Places& ends) {
  const Join<T>& join = line.joins[step.join];
  part_pair<P>(join.vx, join.wx, join.vy, join.wy, step, ends);
}

// Of own coefficients: the same with three kinds of ends; the inner two of v and w become vx, vy and wx, wy.
template <class P, class Places>
HALOCLINE_HD inline void join_nodes(const OwnLine& /*line*/, const JoinStep& step, const Places& ends) {
  const Response<P> a = response_of<P>(ends, step.a_first, step.a_last);
  const Response<P> b = response_of<P>(ends, step.a_last + 1, step.b_last);
  const Join<P> join = make_join(a, b);
  Ends<P> v, w;
  join_responses(join, a, b, v, w);
  join_pair<P>(join, step, ends);
  const auto keep = [&](int kind, const Ends<P>& outer, const P& x, const P& y) {
    ends.set(step.a_first, kind, 0, outer.first);
    ends.set(step.b_last, kind, 1, outer.last);
    ends.set(step.a_last, kind, 1, x);
    ends.set(step.a_last + 1, kind, 0, y);
  };
  keep(1, v, join.vx, join.vy);
  keep(2, w, join.wx, join.wy);
}
template <class P, class Places>
HALOCLINE_HD inline void part_nodes(const OwnLine& /*line*/, const JoinStep& step, const Places& ends) {
  const int x = step.a_last, y = x + 1;
  part_pair<P>(ends.get(x, 1, 1), ends.get(x, 2, 1), ends.get(y, 1, 0), ends.get(y, 2, 0), step, ends);
}

// g of the strips to g of the nodes that `steps` leave. Line: CommonLine<T> or OwnLine.
template <class P, class Line, class Places>
HALOCLINE_HD inline void join_nodes(const Line& line, const JoinSteps& steps, const Places& ends) {
  for (int n = 0; n < steps.count; ++n) join_nodes<P>(line, steps.data[n], ends);
}
// The way back: L and R of those nodes to u at the ends of strips.
template <class P, class Line, class Places>
HALOCLINE_HD inline void part_nodes(const Line& line, const JoinSteps& steps, const Places& ends) {
  for (int n = steps.count - 1; n >= 0; --n) part_nodes<P>(line, steps.data[n], ends);
}

template <class P, class T, class Places>
HALOCLINE_HD inline Closure<T> closure_of(const CommonLine<T>& line, int /*places*/, const Places& /*ends*/) {
  return line.closure;
}
template <class P, class Places>
HALOCLINE_HD inline Closure<P> closure_of(const OwnLine& /*line*/, int places, const Places& ends) {
  const Response<P> whole = response_of<P>(ends, 0, places - 1);
  return make_closure(whole.v, whole.w);
}

// L and R of a whole line of so many places, once it is joined: nothing, or for a periodic line its own ends.
template <class P, class Line, class Places>
HALOCLINE_HD inline void close_line(const Line& line, int places, const Places& ends) {
  P L = zero<P>(), R = L;
  if (line.periodic) {
    const auto closure = closure_of<P>(line, places, ends);
    const P first = ends.get(0, 0, 0), last = ends.get(places - 1, 0, 1);
    R = fma(closure.ff, first, closure.fl * last);
    L = fma(closure.lf, first, closure.ll * last);
  }
  ends.set(-1, 0, 1, L);
  ends.set(places, 0, 0, R);
}

// From g of the nodes in so many places, which `steps` join to a whole line, to u at their ends.
template <class P, class Line, class Places>
HALOCLINE_HD inline void solve_tree(const Line& line, const JoinSteps& steps, int places, const Places& ends) {
  join_nodes<P>(line, steps, ends);
  close_line<P>(line, places, ends);
  part_nodes<P>(line, steps, ends);
}
template <class P, class Line, class Places>
HALOCLINE_HD inline void solve_tree(const Line& line, const Places& ends) {
  solve_tree<P>(line, line.steps, static_cast<int>(line.layout.count), ends);
}

}  // namespace halocline::strips
