// All lines of fields along slow axes and along x, on every executor and in every form, bit by bit against lines solved
// one by one.
#include <gtest/gtest.h>

#include "lib/linalg/strips/solve_fields.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/linalg/strips/line_cases.hpp"

namespace halocline::strips {
namespace {

const SweepLabels labels{"sweep", "reduce strips", "solve trees", "resolve strips"};

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
               executor->backend() == Backend::cuda ? TableOrder::by_factor : TableOrder::by_strip),
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

class StripFields : public OnEveryExecutor {};

template <class T>
void solves_across(const ExecutorPtr& executor, Index rows, bool periodic) {
  const Index blocks = 3, columns = 48, lines = blocks * columns;
  const LineField field{blocks, columns, rows * columns, columns};
  const Fields<T> f = fields_of<T>(rows, lines, rows * lines, periodic,
                                   [&](Index l, Index i) { return field.at(l / columns, i, l % columns); });
  const std::string what = std::to_string(rows) + " rows" + (periodic ? ", periodic" : "");
  const OwnStrips all{0, strip_layout(rows).count};
  {
    OnDevice<T> d(executor, f, lines, periodic);
    solve_lines(*executor, labels, d.tables.line(), field, d.table(lines, 1), d.right.view().data, d.values(),
                d.values());
    EXPECT_EQ(d.right.to_host(), f.common) << what;
  }
  {
    OnDevice<T> d(executor, f, lines, periodic);
    reduce_strips(*executor, labels.reduce, d.tables.line(), all, field, d.table(lines, 1), d.values());
    solve_trees(*executor, labels.tree, d.tables.line(), d.table(lines, 1));
    resolve_strips(*executor, labels.resolve, d.tables.line(), all, field, d.table(lines, 1), d.values(), d.values());
    EXPECT_EQ(d.right.to_host(), f.common) << what << ", three launches";
  }
  {
    OnDevice<T> d(executor, f, lines, periodic);
    solve_lines(*executor, labels, d.own(), field, d.table(lines, 3), d.rows(), d.values());
    EXPECT_EQ(d.right.to_host(), f.own) << what << ", own coefficients";
  }
  {
    OnDevice<T> d(executor, f, lines, periodic);
    reduce_strips(*executor, labels.reduce, d.own(), all, field, d.table(lines, 3), d.rows());
    solve_trees(*executor, labels.tree, d.own(), d.table(lines, 3));
    resolve_strips(*executor, labels.resolve, d.own(), all, field, d.table(lines, 3), d.rows(), d.values());
    EXPECT_EQ(d.right.to_host(), f.own) << what << ", own coefficients, three launches";
  }
}

TEST_P(StripFields, SolveLinesAcrossColumns) {
  for (const Index rows : {3, 4, 30, 77, 200, 513, 2300})
    for (const bool periodic : {false, true}) {
      if (rows == 2300 && periodic) continue;
      solves_across<double>(executor(), rows, periodic);
      solves_across<float>(executor(), rows, periodic);
    }
}

// Values of rows only; what lies behind them is nobody's.
template <class T>
std::vector<T> without_padding(const std::vector<T>& field, const ContiguousLines& lines, Index rows) {
  std::vector<T> values;
  for (Index l = 0; l < lines.count; ++l)
    values.insert(values.end(), field.begin() + l * lines.distance, field.begin() + l * lines.distance + rows);
  return values;
}

template <class T>
void solves_along(const ExecutorPtr& executor, Index rows, Index count, bool periodic) {
  const Index distance = (rows + 15) / 16 * 16, lines = (count + lanes - 1) / lanes * lanes;
  const ContiguousLines all{count, distance};
  const Fields<T> f =
      fields_of<T>(rows, count, count * distance, periodic, [&](Index l, Index i) { return l * distance + i; });
  OnDevice<T> common(executor, f, lines, periodic), own(executor, f, lines, periodic);
  solve_contiguous_lines(*executor, labels, common.tables.line(), all, common.table(lines, 1), common.values(),
                         common.values());
  EXPECT_EQ(without_padding(common.right.to_host(), all, rows), without_padding(f.common, all, rows))
      << rows << " rows, " << count << " lines";
  solve_contiguous_lines(*executor, labels, own.own(), all, own.table(lines, 3), own.rows(), own.values());
  EXPECT_EQ(without_padding(own.right.to_host(), all, rows), without_padding(f.own, all, rows))
      << rows << " rows, " << count << " lines, own coefficients";
}

TEST_P(StripFields, SolveLinesAlongX) {
  for (const Index rows : {3, 4, 30, 77, 200, 513, 2300})
    for (const Index count : {1, 8, 27}) {
      solves_along<double>(executor(), rows, count, rows % 2 == 0);
      solves_along<float>(executor(), rows, count, rows % 2 == 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, StripFields, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::strips
