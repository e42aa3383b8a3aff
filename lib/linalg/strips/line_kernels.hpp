// A whole line, or eight beside each other, solved at once from memory near the processor: all strips reduced, the
// tree, all strips resolved. The same operations as in three launches over a field, so the same bits.
#pragma once

#include "lib/linalg/strips/tree_kernels.hpp"

namespace halocline::strips {

// Several packs of lines, or one, strip by strip: each waits for its last result, and the others fill the time.
// right(k, i): right-hand side of row i of pack k; keep(k, i, g) keeps a number per row that kept(k, i) returns, which
// may lie where the right-hand side was; use(k, i, u) gets the solution, once for every row. ends(k): accessor of one
// kind.
template <class P, class T, class Places, class Right, class Keep, class Kept, class Use>
inline void solve_line(const CommonLine<T>& line, int packs, const Places& ends, const Right& right, const Keep& keep,
                       const Kept& kept, const Use& use) {
  const int count = static_cast<int>(line.layout.count);
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    const int rows = line.layout.size(s);
    for (int k = 0; k < packs; ++k) {
      const Ends<P> g = reduce_strip<P>(
          line.table, s, rows, [&](int i) { return right(k, begin + i); },
          [&](int i, const P& value) { keep(k, begin + i, value); });
      ends(k).set(s, 0, 0, g.first);
      ends(k).set(s, 0, 1, g.last);
    }
  }
  for (int k = 0; k < packs; ++k) solve_tree<P>(line, ends(k));
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    const int rows = line.layout.size(s);
    for (int k = 0; k < packs; ++k)
      resolve_strip<P>(
          line.table, s, rows, ends(k).get(s - 1, 0, 1), ends(k).get(s + 1, 0, 0),
          [&](int i) { return kept(k, begin + i); }, [&](int i, const P& u) { use(k, begin + i, u); });
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

// row(k, i): a LineRow; keep(k, i, EliminatedRow) and kept(k, i) as above; ends(k): accessor of three kinds.
template <class P, class Places, class Row, class Keep, class Kept, class Use>
inline void solve_own_line(const OwnLine& line, int packs, const Places& ends, const Row& row, const Keep& keep,
                           const Kept& kept, const Use& use) {
  const int count = static_cast<int>(line.layout.count);
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    const int rows = line.layout.size(s);
    for (int k = 0; k < packs; ++k)
      set_response(ends(k), s,
                   reduce_own_strip<P>(
                       rows, [&](int i) { return row(k, begin + i); },
                       [&](int i, const EliminatedRow<P>& of) { keep(k, begin + i, of); }));
  }
  for (int k = 0; k < packs; ++k) solve_tree<P>(line, ends(k));
  for (int s = 0; s < count; ++s) {
    const Index begin = line.layout.begin(s);
    const int rows = line.layout.size(s);
    for (int k = 0; k < packs; ++k) {
      const P L = ends(k).get(s - 1, 0, 1);
      resolve_own_strip<P>(
          rows, ends(k).get(s + 1, 0, 0), [&](int i) { return kept(k, begin + i).knowing(L); },
          [&](int i, const P& u) { use(k, begin + i, u); });
    }
  }
}

}  // namespace halocline::strips
