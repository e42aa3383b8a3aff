// Fields for the tests of strips, with the solution of every line by itself.
#pragma once

#include <vector>

#include "lib/linalg/strips/line_kernels.hpp"
#include "tests/unit/linalg/strips/line_cases.hpp"

namespace halocline::strips {

// Coefficients and right-hand sides as fields of one layout.
template <class T>
struct RowFields {
  const T *before, *diagonal, *behind, *right;
  template <class P>
  HALOCLINE_HD LineRow<P> row(Index at, Index /*i*/) const {
    return {load<P>(before + at), load<P>(diagonal + at), load<P>(behind + at), load<P>(right + at)};
  }
};

// Lines with coefficients and right-hand sides in fields of a layout of their own; place(line, row): where.
template <class T>
struct Fields {
  std::vector<T> before, diagonal, behind, right, common, own;  // the last two: solutions
  std::vector<RowCoefficients> rows;                            // common ones
};

// A field of `size` values, those of no line 1.
template <class T, class Place>
Fields<T> fields_of(Index rows, Index lines, Index size, bool periodic, const Place& place) {
  const ExecutorPtr host = make_omp_executor(1);
  const End end = periodic ? End::periodic : End::robin;
  Fields<T> f;
  for (auto* field : {&f.before, &f.diagonal, &f.behind, &f.right, &f.common, &f.own})
    field->assign(static_cast<std::size_t>(size), T{1});
  f.rows = rounded_to<T>(rows_of({rows, end, end, 1e3, true, 5}));
  StripTables<T> tables(host, rows, TableOrder::by_strip);
  tables.assign(f.rows, periodic);
  for (Index l = 0; l < lines; ++l) {
    const auto own_rows = rows_of({rows, end, end, 1e3, true, static_cast<unsigned>(l)});
    const auto right = random_numbers(static_cast<std::size_t>(rows), static_cast<unsigned>(l + 77));
    std::vector<LineRow<T>> row;
    for (Index i = 0; i < rows; ++i) {
      row.push_back({static_cast<T>(own_rows[i].before), static_cast<T>(own_rows[i].diagonal),
                     static_cast<T>(own_rows[i].behind), static_cast<T>(right[i])});
      const Index at = place(l, i);
      f.before[at] = row[i].before;
      f.diagonal[at] = row[i].diagonal;
      f.behind[at] = row[i].behind;
      f.right[at] = row[i].right;
    }
    std::vector<T> ends(static_cast<std::size_t>(6 * (tables.line().layout.count + 2)), T{0}), kept(row.size());
    solve_line<T>(
        tables.line(), 1, [&](int) { return LocalEnds<T, 1>{ends.data()}; }, [&](int, Index i) { return row[i].right; },
        [&](int, Index i, T g) { kept[i] = g; }, [&](int, Index i) { return kept[i]; },
        [&](int, Index i, T u) { f.common[place(l, i)] = u; });
    std::vector<EliminatedRow<T>> eliminated(row.size());
    solve_own_line<T>(
        OwnLine{tables.line().layout, tables.line().steps, periodic}, 1,
        [&](int) { return LocalEnds<T, 3>{ends.data()}; }, [&](int, Index i) { return row[i]; },
        [&](int, Index i, const EliminatedRow<T>& e) { eliminated[i] = e; },
        [&](int, Index i) { return eliminated[i]; }, [&](int, Index i, T u) { f.own[place(l, i)] = u; });
  }
  return f;
}

// The same on a device.
template <class T>
struct OnDevice {
  StripTables<T> tables;
  Array<T, 1> before, diagonal, behind, right, ends;
  OnDevice(const ExecutorPtr& executor, const Fields<T>& f, Index lines, bool periodic)
      : tables(executor, static_cast<Index>(f.rows.size()),
               executor->backend() == Backend::cuda ? TableOrder::by_row : TableOrder::by_strip),
        before(make_array(executor, f.before)),
        diagonal(make_array(executor, f.diagonal)),
        behind(make_array(executor, f.behind)),
        right(make_array(executor, f.right)),
        ends(executor, {EndTable<T>::size(tables.line().layout.count, 3, lines)}) {
    tables.assign(f.rows, periodic);
  }
  EndTable<T> table(Index lines, int kinds) { return {ends.view().data, lines, kinds}; }
  FieldValues<T> values() { return {right.view().data}; }
  RowFields<T> rows() { return {before.view().data, diagonal.view().data, behind.view().data, right.view().data}; }
  OwnLine own() const { return {tables.line().layout, tables.line().steps, tables.line().periodic}; }
};

}  // namespace halocline::strips
