// Bodies that solve the lines of a field in three launches: strips are reduced, trees solved, strips resolved; eight
// neighboring lines at a time on the host, a thread per line and strip on a GPU. A part that holds some of the strips
// joins what it can, and gets L and R of its nodes from elsewhere before it parts them (strip_exchange.hpp).
//
// Right-hand sides, coefficients and what becomes of the solution are functors of the caller, of positions in a field:
//   right.load<P>(at)            the right-hand side
//   rows.row<P>(at, i)           a LineRow, row i of all, for coefficients of their own
//   result.take(at, u)           the solution; may write where `right` reads
#pragma once

#include "lib/linalg/strips/line_kernels.hpp"

namespace halocline::strips {

// Lines across contiguous columns: row i of column j of block b lies at b * block_stride + i * row_stride + j. Along y
// blocks are planes and columns x; along z there is one block and columns are x and y. Rows count from the part's
// first.
struct LineField {
  Index blocks = 1, columns = 0;  // columns: a multiple of `lanes`
  Index block_stride = 0, row_stride = 0;
  Index column_stride = 1;  // another one for lines that lie along x, in bodies of a thread per line
  HALOCLINE_HD Index at(Index block, Index row, Index column) const {
    return block * block_stride + row * row_stride + column * column_stride;
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
  void row(Index i, Index begin, Index end) const {
    for (Index column = begin; column < end; column += lanes) visit<Pack<T>>(i, column);
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
    P g[Most];
    reduce_strip<P, Most>(
        table, here.strip, here.rows, [&](int i) { return right.template load<P>(here.at + i * stride); },
        [&](int i, const P& value) { g[i] = value; });
    resolve_strip<P, Most>(
        table, here.strip, here.rows, places.get(place - 1, 0, 1), places.get(place + 1, 0, 0),
        [&](int i) { return g[i]; }, [&](int i, const P& u) { result.take(here.at + i * stride, u); });
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
    KnownRow<P> known[Most];
    reduce_own_strip<P, Most>(
        here.rows, [&](int i) { return rows.template row<P>(here.at + i * stride, here.begin + i); },
        [&](int i, const EliminatedRow<P>& row) { known[i] = row.knowing(L); });
    resolve_own_strip<P, Most>(
        here.rows, places.get(place + 1, 0, 0), [&](int i) { return known[i]; },
        [&](int i, const P& u) { result.take(here.at + i * stride, u); });
  }
};

// What the bodies over lines have in common; a launch has rows of some lines. Body: call<P>(line).
template <class Body, class T>
struct LinesBody {
  static constexpr Index in_row = 256;
  Index lines;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    if (i * in_row + j < lines) static_cast<const Body*>(this)->template call<T>(i * in_row + j);
  }
  void row(Index i, Index begin, Index end) const {
    for (Index line = i * in_row + begin; line < i * in_row + end && line < lines; line += lanes)
      static_cast<const Body*>(this)->template call<Pack<T>>(line);
  }
};

// Trees of whole lines.
template <class T>
struct TreeBody : LinesBody<TreeBody<T>, T> {
  CommonLine<T> common;
  EndTable<T> ends;
  template <class P>
  HALOCLINE_HD void call(Index line) const {
    solve_tree<P>(common, LineEnds<P, T>{ends, line});
  }
};
template <class T>
struct OwnTreeBody : LinesBody<OwnTreeBody<T>, T> {
  OwnLine own;
  EndTable<T> ends;
  template <class P>
  HALOCLINE_HD void call(Index line) const {
    solve_own_tree<P>(own, LineEnds<P, T>{ends, line});
  }
};

// Lines solved at once on the host, eight columns at a time. `kept`: memory of the field's layout for a number per row;
// may be that of `right`.
template <class T, class Right, class Result>
struct FusedBody {
  static constexpr int most_strips = 64;
  CommonLine<T> line;
  LineField field;
  T* kept;
  Right right;
  Result result;
  void operator()(Index n) const {
    using P = Pack<T>;
    const Index groups = field.columns / lanes, block = n / groups, column = n % groups * lanes;
    P ends[2 * (most_strips + 2)];
    const auto at = [&](Index i) { return field.at(block, i, column); };
    solve_line<P>(
        line, LocalEnds<P, 1>{ends}, [&](Index i) { return right.template load<P>(at(i)); },
        [&](Index i, const P& g) { store(kept + at(i), g); }, [&](Index i) { return load<P>(kept + at(i)); },
        [&](Index i, const P& u) { result.take(at(i), u); });
  }
};
template <class T, class Rows, class Result>
struct FusedOwnBody {
  static constexpr int most_strips = FusedBody<T, Rows, Result>::most_strips;
  OwnLine line;
  LineField field;
  Rows rows;
  Result result;
  void operator()(Index n) const {
    using P = Pack<T>;
    const Index groups = field.columns / lanes, block = n / groups, column = n % groups * lanes;
    P ends[6 * (most_strips + 2)];
    EliminatedRow<P> kept[most_strips * longest_strip];
    const auto at = [&](Index i) { return field.at(block, i, column); };
    solve_own_line<P>(
        line, LocalEnds<P, 3>{ends}, [&](Index i) { return rows.template row<P>(at(i), i); },
        [&](Index i, const EliminatedRow<P>& row) { kept[i] = row; }, [&](Index i) { return kept[i]; },
        [&](Index i, const P& u) { result.take(at(i), u); });
  }
};

}  // namespace halocline::strips
