// All lines of fields along slow axes and along x, on every executor and in every form, bit by bit against lines solved
// one by one.
#include <gtest/gtest.h>

#include "lib/linalg/strips/solve_fields.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/linalg/strips/field_cases.hpp"

namespace halocline::strips {
namespace {

const SweepLabels labels{"sweep", "reduce strips", "solve trees", "resolve strips"};

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
