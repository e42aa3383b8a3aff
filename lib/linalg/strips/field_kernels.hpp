// Bodies that solve the lines of a field in three launches: strips are reduced, trees solved, strips resolved; eight
// neighboring lines at a time on the host, a thread per line and strip on a GPU. A part that holds some of the strips
// joins what it can, and gets L and R of its nodes from elsewhere before it parts them (strip_exchange.hpp).
//
// Right-hand sides, coefficients and what becomes of the solution are functors of the caller, of positions in a field:
//   right.load<P>(at)            the right-hand side
//   rows.row<P>(at, i)           a LineRow, row i of all, for coefficients of their own
//   result.take(at, u)           the solution; may write where `right` reads
#pragma once

#include "lib/base/view.hpp"
#include "lib/linalg/strips/line_kernels.hpp"

namespace halocline::strips {

// Lines across contiguous columns: row i of column j of block b lies at b * block_stride + i * row_stride + j. Along y
// blocks are planes and columns x; along z there is one block and columns are x and y. Rows count from the part's
// first. Row 0 of column 0 of block 0 lies at `start`.
struct LineField {
  Index blocks = 1, columns = 0;  // columns: a multiple of `lanes`
  Index block_stride = 0, row_stride = 0;
  Index column_stride = 1;  // another one for lines that lie along x, in bodies of a thread per line
  Index start = 0;
  HALOCLINE_HD Index at(Index block, Index row, Index column) const {
    return start + block * block_stride + row * row_stride + column * column_stride;
  }
  HALOCLINE_HD Index lines() const { return blocks * columns; }
};

// Values in memory, contiguous across lines.
template <class T>
struct FieldValues {
  T* data;
  template <class P>
  HALOCLINE_HD P load(Index at) const {
    return halocline::load<P>(data + at);
  }
  template <class P>
  HALOCLINE_HD void take(Index at, const P& u) const {
    store(data + at, u);
  }
};

// Strips of a part; they lie in the places from 0 on.
struct OwnStrips {
  Index first = 0, count = 0;
};

// A strip of eight lines or of one.
struct StripPlace {
  Index strip, place, begin;  // begin: first row
  int rows;
  Index at, line;  // at: of the first row in the field
};

// Bodies of the host work on copies of themselves, with everything inlined: a compiler must take it that stores of
// packs change whatever has an address, and would read strides and pointers again for every row.

// What the bodies over (block and strip) x columns have in common. Body: call<P>(StripPlace).
template <class Body, class T>
struct StripsBody {
  StripLayout layout;
  OwnStrips own;
  LineField field;
  template <class P>
  HALOCLINE_HD void visit(Index i, Index column) const {
    const Index block = i / own.count, place = i % own.count, strip = own.first + place;
    const Index begin = layout.begin(strip), row = begin - layout.begin(own.first);
    static_cast<const Body*>(this)->template call<P>(StripPlace{
        strip, place, begin, layout.size(strip), field.at(block, row, column), block * field.columns + column});
  }
  HALOCLINE_HD void operator()(Index i, Index column) const { visit<T>(i, column); }
  [[gnu::flatten]] void row(Index i, Index begin, Index end) const {
    const Body body = *static_cast<const Body*>(this);
    for (Index column = begin; column < end; column += lanes) body.template visit<Pack<T>>(i, column);
  }
};

template <class T, class Right, int Most>
struct ReduceBody : StripsBody<ReduceBody<T, Right, Most>, T> {
  StripTable<T> table;
  EndTable<T> ends;
  Right right;
  template <class P>
  HALOCLINE_HD void call(const StripPlace& here) const {
    const Index stride = this->field.row_stride;
    const Ends<P> g = reduce_strip<P, Most>(
        table, here.strip, here.rows, [&](int i) { return right.template load<P>(here.at + i * stride); },
        [](int, const P&) {});
    const LineEnds<P, T> places{ends, here.line};
    places.set(static_cast<int>(here.place), 0, 0, g.first);
    places.set(static_cast<int>(here.place), 0, 1, g.last);
  }
};

template <class T, class Right, class Result, int Most>
struct ResolveBody : StripsBody<ResolveBody<T, Right, Result, Most>, T> {
  StripTable<T> table;
  EndTable<T> ends;
  Right right;
  Result result;
  template <class P>
  HALOCLINE_HD void call(const StripPlace& here) const {
    const Index stride = this->field.row_stride;
    const int place = static_cast<int>(here.place);
    const LineEnds<P, T> places{ends, here.line};
    LocalValues<P, Most> g;
    reduce_strip<P, Most>(
        table, here.strip, here.rows, [&](int i) { return right.template load<P>(here.at + i * stride); },
        [&](int i, const P& value) { g.set(i, value); });
    resolve_strip<P, Most>(
        table, here.strip, here.rows, places.get(place - 1, 0, 1), places.get(place + 1, 0, 0),
        [&](int i) { return g.get(i); }, [&](int i, const P& u) { result.take(here.at + i * stride, u); });
  }
};

template <class T, class Rows, int Most>
struct ReduceOwnBody : StripsBody<ReduceOwnBody<T, Rows, Most>, T> {
  EndTable<T> ends;
  Rows rows;
  template <class P>
  HALOCLINE_HD void call(const StripPlace& here) const {
    const Index stride = this->field.row_stride;
    set_response(LineEnds<P, T>{ends, here.line}, static_cast<int>(here.place),
                 reduce_own_strip<P, Most>(
                     here.rows, [&](int i) { return rows.template row<P>(here.at + i * stride, here.begin + i); },
                     [](int, const EliminatedRow<P>&) {}));
  }
};

template <class T, class Rows, class Result, int Most>
struct ResolveOwnBody : StripsBody<ResolveOwnBody<T, Rows, Result, Most>, T> {
  EndTable<T> ends;
  Rows rows;
  Result result;
  template <class P>
  HALOCLINE_HD void call(const StripPlace& here) const {
    const Index stride = this->field.row_stride;
    const int place = static_cast<int>(here.place);
    const LineEnds<P, T> places{ends, here.line};
    const P L = places.get(place - 1, 0, 1);
    LocalValues<P, Most> known, e;
    reduce_own_strip<P, Most>(
        here.rows, [&](int i) { return rows.template row<P>(here.at + i * stride, here.begin + i); },
        [&](int i, const EliminatedRow<P>& row) {
          known.set(i, row.knowing(L).known);
          e.set(i, row.e);
        });
    resolve_own_strip<P, Most>(
        here.rows, places.get(place + 1, 0, 0),
        [&](int i) {
          return KnownRow<P>{known.get(i), e.get(i)};
        },
        [&](int i, const P& u) { result.take(here.at + i * stride, u); });
  }
};

// What the bodies over lines have in common, which are launched over rows_of_lines(). Body: call<P>(line).
constexpr Index lines_in_row = 256;
inline Range<2> rows_of_lines(Index lines) {
  return {{0, 0}, {(lines + lines_in_row - 1) / lines_in_row, lines_in_row}};
}
template <class Body, class T>
struct LinesBody {
  Index lines;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    if (i * lines_in_row + j < lines) static_cast<const Body*>(this)->template call<T>(i * lines_in_row + j);
  }
  [[gnu::flatten]] void row(Index i, Index begin, Index end) const {
    const Body body = *static_cast<const Body*>(this);
    for (Index line = i * lines_in_row + begin; line < i * lines_in_row + end && line < body.lines; line += lanes)
      body.template call<Pack<T>>(line);
  }
};

// Trees of whole lines.
template <class T, class Line>
struct TreeBody : LinesBody<TreeBody<T, Line>, T> {
  Line line;
  EndTable<T> ends;
  template <class P>
  HALOCLINE_HD void call(Index n) const {
    solve_tree<P>(line, LineEnds<P, T>{ends, n});
  }
};

constexpr int most_strips_at_once = 64;  // of a line

// Lines solved at once on the host, some packs of columns at a time: lines of the cache that lie beside each other.
template <class Body, class T, int Packs>
struct FusedLines {
  LineField field;
  // Tiles of a block.
  Index across() const { return (field.columns + Packs * lanes - 1) / (Packs * lanes); }
  Range<1> tiles() const { return {{0}, {field.blocks * across()}}; }
  [[gnu::flatten]] void operator()(Index n) const {
    const Body body = *static_cast<const Body*>(this);
    const Index block = n / body.across(), column = n % body.across() * Packs * lanes;
    const Index left = (body.field.columns - column) / lanes;
    body.solve(body.field.at(block, 0, column), left < Packs ? static_cast<int>(left) : Packs);
  }
};

// `kept`: memory of the field's layout for a number per row; may be that of `right`. Rows lie too far from each other
// for processors to foresee them, so those of the next tile are asked for while this one is resolved.
template <class T, class Right, class Result>
struct FusedBody : FusedLines<FusedBody<T, Right, Result>, T, 8> {
  CommonLine<T> line;
  T* kept;
  Right right;
  Result result;
  void solve(Index start, int packs) const {
    using P = Pack<T>;
    LocalValues<P, 8 * 2 * (most_strips_at_once + 2)> ends;
    const Index stride = this->field.row_stride, apart = 2 * (line.layout.count + 2) * lanes;
    const auto at = [&](int k, Index i) { return start + k * lanes + i * stride; };
    solve_line<P>(
        line, packs, [&](int k) { return LocalEnds<P, 1>{ends.data + k * apart}; },
        [&](int k, Index i) { return right.template load<P>(at(k, i)); },
        [&](int k, Index i, const P& g) { store(kept + at(k, i), g); },
        [&](int k, Index i) { return load<P>(kept + at(k, i)); },
        [&](int k, Index i, const P& u) {
          __builtin_prefetch(kept + at(k, i) + packs * lanes, 1);
          result.take(at(k, i), u);
        });
  }
};
template <class T, class Rows, class Result>
struct FusedOwnBody : FusedLines<FusedOwnBody<T, Rows, Result>, T, 2> {
  OwnLine line;
  Rows rows;
  Result result;
  void solve(Index start, int packs) const {
    using P = Pack<T>;
    constexpr int strips = most_strips_at_once;
    LocalValues<P, 2 * 6 * (strips + 2)> ends;
    LocalValues<P, 2 * 3 * strips * longest_strip> kept;
    const Index stride = this->field.row_stride, apart = 6 * (line.layout.count + 2) * lanes;
    const auto at = [&](int k, Index i) { return start + k * lanes + i * stride; };
    solve_own_line<P>(
        line, packs, [&](int k) { return LocalEnds<P, 3>{ends.data + k * apart}; },
        [&](int k, Index i) { return rows.template row<P>(at(k, i), i); },
        [&](int k, Index i, const EliminatedRow<P>& row) {
          const Index to = (2 * i + k) * 3;
          kept.set(to, row.g);
          kept.set(to + 1, row.v);
          kept.set(to + 2, row.e);
        },
        [&](int k, Index i) {
          const Index from = (2 * i + k) * 3;
          return EliminatedRow<P>{kept.get(from), kept.get(from + 1), kept.get(from + 2)};
        },
        [&](int k, Index i, const P& u) { result.take(at(k, i), u); });
  }
};

}  // namespace halocline::strips
