// A whole line, or eight beside each other, solved at once from memory near the processor: all strips reduced, the
// tree, all strips resolved. The same operations as in three launches over a field, so the same bits.
#pragma once

#include "lib/linalg/strips/tree_kernels.hpp"

namespace halocline::strips {

// right(i): right-hand side of row i of the line; keep(i, g) keeps a number per row that kept(i) returns, which may lie
// where the right-hand side was; use(i, u) gets the solution, once for every row. `ends`: accessor of one kind.
template <class P, class T, class Places, class Right, class Keep, class Kept, class Use>
HALOCLINE_HD inline void solve_line(const CommonLine<T>& line, const Places& ends, const Right& right, const Keep& keep,
                                    const Kept& kept, const Use& use) {
  const int count = static_cast<int>(line.layout.count);
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    const Ends<P> g = reduce_strip<P>(
        line.table, s, line.layout.size(s), [&](int i) { return right(begin + i); },
        [&](int i, const P& value) { keep(begin + i, value); });
    ends.set(s, 0, 0, g.first);
    ends.set(s, 0, 1, g.last);
  }
  solve_tree<P>(line, ends);
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    resolve_strip<P>(
        line.table, s, line.layout.size(s), ends.get(s - 1, 0, 1), ends.get(s + 1, 0, 0),
        [&](int i) { return kept(begin + i); }, [&](int i, const P& u) { use(begin + i, u); });
  }
}

template <class P, class Places>
HALOCLINE_HD inline void set_response(const Places& ends, int place, const Response<P>& response) {
  const auto set = [&](int kind, const Ends<P>& of) {
    ends.set(place, kind, 0, of.first);
    ends.set(place, kind, 1, of.last);
  };
  set(0, response.g);
  set(1, response.v);
  set(2, response.w);
}

// row(i): a LineRow; keep(i, EliminatedRow) and kept(i) as above; `ends`: accessor of three kinds.
template <class P, class Places, class Row, class Keep, class Kept, class Use>
HALOCLINE_HD inline void solve_own_line(const OwnLine& line, const Places& ends, const Row& row, const Keep& keep,
                                        const Kept& kept, const Use& use) {
  const int count = static_cast<int>(line.layout.count);
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    set_response(ends, s,
                 reduce_own_strip<P>(
                     line.layout.size(s), [&](int i) { return row(begin + i); },
                     [&](int i, const EliminatedRow<P>& of) { keep(begin + i, of); }));
  }
  solve_own_tree<P>(line, ends);
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    const P L = ends.get(s - 1, 0, 1);
    resolve_own_strip<P>(
        line.layout.size(s), ends.get(s + 1, 0, 0), [&](int i) { return kept(begin + i).knowing(L); },
        [&](int i, const P& u) { use(begin + i, u); });
  }
}

}  // namespace halocline::strips
