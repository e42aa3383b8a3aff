// Sweeps that reduce the strips of the axis to come, in both forms, against lines and strips one by one: the same bits.
// And strips reduced and resolved in registers against those of any device.
#include <gtest/gtest.h>

#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"
#include "tests/unit/fractional/cuda/kernels_on_devices.hpp"
#include "tests/unit/fractional/cuda/sweep_cases.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/fractional/cuda/reduce_columns.cu"
#include "lib/problems/fractional/cuda/resolve_columns.cu"
#include "lib/problems/fractional/cuda/sweeps_ahead.cu"
#endif

namespace halocline::fractional {
namespace {

class SweepsAhead : public KernelTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SweepsAhead);
INSTANTIATE_TEST_SUITE_P(devices, SweepsAhead, testing::ValuesIn(kernel_devices()), device_word);

// A strip of a field, reduced row by row; right(i): the right-hand side of row i.
template <class T, class Right>
strips::Ends<T> reduced(const strips::CommonLine<T>& line, Index strip, const Right& right) {
  return strips::reduce_strip<T>(line.table, strip, line.layout.size(strip), right, [](int, T) {});
}

// Lines along x, three planes of them, of strips 2 to 4 of lines of 70 rows along y.
template <class T>
void rows_ahead(const ExecutorPtr& executor, Index rows, bool periodic) {
  const ExecutorPtr host = make_omp_executor(1);
  const Index pitch = (rows + 15) / 16 * 16, planes = 3;
  const strips::OwnStrips own{2, 3};
  const auto x = tables_of_line<T>(host, rows, strips::TableOrder::by_strip, periodic);
  const auto x_there = tables_of_line<T>(executor, rows, strips::TableOrder::by_row, periodic);
  const auto y = tables_of_line<T>(host, 70, strips::TableOrder::by_strip, false);
  const auto y_there = tables_of_line<T>(executor, 70, strips::TableOrder::by_strip, false);
  const strips::StripLayout layout = y.line().layout;
  const Index first = layout.begin(own.first), lines = layout.begin(own.first + own.count) - first;
  const strips::LineField field{planes, pitch, (lines + 1) * pitch, pitch};
  std::vector<T> expected = random_values<T>(planes * field.block_stride);
  Array<T, 1> w = make_array(executor, expected), on_host = make_array(host, expected);
  const Index size = strips::EndTable<T>::size(own.count, 1, planes * pitch);
  Array<T, 1> ends(executor, {size}), host_ends(host, {size});
  ASSERT_TRUE(plan_rows_ahead<T>(*executor, x.line().layout, pitch));
  sweep_rows_ahead<T>(
      *executor, "sweep",
      {x_there.line(), layout, own, y_there.line().table, field, {ends.view().data, planes * pitch, 1}, w.view().data});
  const strips::RowsAheadBody<T> body{
      {x.line(), layout, own, y.line().table, field, {host_ends.view().data, planes * pitch, 1}, on_host.view().data}};
  for (Index n = 0; n < body.tiles().hi[0]; ++n) body(n);
  executor->synchronize();
  const std::vector<T> got = w.to_host(), got_ends = ends.to_host();
  for (Index block = 0; block < planes; ++block)
    for (Index l = 0; l < lines; ++l) solve_one(x.line(), expected.data() + field.at(block, l, 0), 1);
  for (Index block = 0; block < planes; ++block)
    for (Index i = 0; i < rows; ++i) {
      for (Index l = 0; l < lines; ++l) {
        const auto at = static_cast<std::size_t>(field.at(block, l, i));
        ASSERT_EQ(got[at], expected[at]) << rows << " rows, line " << l << ", " << i;
        ASSERT_EQ(on_host.view().data[at], expected[at]) << rows << " rows, line " << l << ", " << i;
      }
      for (Index n = 0; n < own.count; ++n) {
        const Index begin = layout.begin(own.first + n) - first;
        const strips::Ends<T> of =
            reduced(y.line(), own.first + n, [&](int k) { return expected[field.at(block, begin + k, i)]; });
        const auto at = static_cast<std::size_t>((n + 1) * 2 * planes * pitch + block * pitch + i);
        ASSERT_EQ(got_ends[at], of.first) << rows << " rows, strip " << n << ", " << i;
        ASSERT_EQ(got_ends[at + planes * pitch], of.last) << rows << " rows, strip " << n << ", " << i;
        ASSERT_EQ(host_ends.view().data[at], of.first);
        ASSERT_EQ(host_ends.view().data[at + planes * pitch], of.last);
      }
    }
}
TEST_P(SweepsAhead, RowsAhead) {
  for (const Index rows : {3, 17, 64, 70, 257, 512, 513, 1030}) {
    rows_ahead<double>(executor, rows, rows % 2 == 0);
    rows_ahead<float>(executor, rows, rows % 2 == 0);
  }
  EXPECT_FALSE(plan_rows_ahead<double>(*executor, strips::strip_layout(2050), 2064));
}

// u of a strip, from its right-hand sides at `at` and the ends beside it.
template <class T>
void resolve_one(const strips::CommonLine<T>& line, Index strip, const strips::LineEnds<T, T>& ends, int place, T* at,
                 Index stride) {
  std::vector<T> g;
  strips::reduce_strip<T>(
      line.table, strip, line.layout.size(strip), [&](int i) { return at[i * stride]; },
      [&](int, T value) { g.push_back(value); });
  strips::resolve_strip<T>(
      line.table, strip, line.layout.size(strip), ends.get(place - 1, 0, 1), ends.get(place + 1, 0, 0),
      [&](int i) { return g[static_cast<std::size_t>(i)]; }, [&](int i, T u) { at[i * stride] = u; });
}

// Lines along y of `rows` rows, strips 1 and 2 of them, in the planes of strips 3 and 4 of a part's from 2 on along z.
template <class T>
class ColumnsAheadCase {
 public:
  static constexpr Index pitch = 48, places = 5;
  ColumnsAheadCase(const ExecutorPtr& executor, Index rows)
      : executor_(executor),
        y_(tables_of_line<T>(executor, rows, strips::TableOrder::by_strip, false)),
        z_(tables_of_line<T>(executor, 70, strips::TableOrder::by_strip, false)),
        columns_((begin(y_, 3) - begin(y_, 1)) * pitch),
        planes_(begin(z_, 5) - begin(z_, 3)),
        w_(make_array(executor, random_values<T>(planes_ * columns_))),
        ends_(make_array(executor, random_values<T>(strips::EndTable<T>::size(2, 1, planes_ * pitch)))),
        ahead_(make_array(executor, random_values<T>(strips::EndTable<T>::size(places, 1, columns_)))) {}
  strips::ColumnsAhead<T> sweep() {
    const Index lines = (begin(y_, 2) - begin(y_, 1)) * pitch;  // of the first chunk
    T* const second = ahead_.view().data + strips::EndTable<T>::size(places, 1, lines);
    return {y_.line(),
            {1, 2},
            {planes_, pitch, columns_, pitch},
            {ends_.view().data, planes_ * pitch, 1},
            z_.line().layout,
            {3, 2},
            1,
            z_.line().table,
            {{{ahead_.view().data, lines, 1}, 0}, {{second, columns_ - lines, 1}, lines}},
            2,
            w_.view().data};
  }
  std::vector<T> values() const { return w_.to_host(); }
  std::vector<T> ends() const { return ahead_.to_host(); }
  // Line by line.
  void expect() {
    const strips::ColumnsAhead<T> of = sweep();
    for (Index line = 0; line < planes_ * pitch; ++line)
      for (int place = 0; place < 2; ++place) {
        const strips::StripPlace rows = of.rows(place);
        T* const at = of.w + of.field.at(line / pitch, rows.begin, line % pitch);
        resolve_one<T>(of.line, rows.strip, {of.ends, line}, place, at, pitch);
      }
    for (Index column = 0; column < columns_; ++column)
      for (int n = 0; n < 2; ++n) {
        const auto& chunk = of.chunks[column < of.chunks[1].begin ? 0 : 1];
        const Index plane = begin(z_, 3 + n) - begin(z_, 3);
        const strips::Ends<T> found =
            reduced(z_.line(), 3 + n, [&](int k) { return of.w[(plane + k) * columns_ + column]; });
        const strips::LineEnds<T, T> to{chunk.ends, column - chunk.begin};
        to.set(1 + n, 0, 0, found.first);
        to.set(1 + n, 0, 1, found.last);
      }
  }

 private:
  static Index begin(const strips::StripTables<T>& of, Index strip) { return of.line().layout.begin(strip); }
  ExecutorPtr executor_;
  strips::StripTables<T> y_, z_;
  Index columns_, planes_;
  Array<T, 1> w_, ends_, ahead_;
};
template <class T>
void columns_ahead(const ExecutorPtr& executor, Index rows) {
  ColumnsAheadCase<T> expected(make_omp_executor(1), rows), on_host(make_omp_executor(1), rows), got(executor, rows);
  expected.expect();
  const strips::ColumnsAheadBody<T> body{on_host.sweep()};
  for (Index n = 0; n < body.tiles().hi[0]; ++n) body(n);
  sweep_columns_ahead<T>(*executor, "sweep", got.sweep());
  executor->synchronize();
  EXPECT_EQ(on_host.values(), expected.values()) << rows << " rows";
  EXPECT_EQ(on_host.ends(), expected.ends()) << rows << " rows";
  EXPECT_EQ(got.values(), expected.values()) << rows << " rows";
  EXPECT_EQ(got.ends(), expected.ends()) << rows << " rows";
}
TEST_P(SweepsAhead, ColumnsAhead) {
  for (const Index rows : {12, 70, 257, 1030, 2050}) {
    columns_ahead<double>(executor, rows);
    columns_ahead<float>(executor, rows);
  }
  EXPECT_FALSE(plan_columns_ahead<double>(*executor, 16, {0, 1}, {0, 1}));
}

// All strips but the first and the last of lines of `rows` rows, in two blocks of 48 columns.
template <class T>
void strips_in_registers(const ExecutorPtr& executor, Index rows) {
  const auto tables = tables_of_line<T>(executor, rows, strips::TableOrder::by_strip, false);
  const auto on_host = tables_of_line<T>(make_omp_executor(1), rows, strips::TableOrder::by_strip, false);
  const strips::StripLayout layout = tables.line().layout;
  const strips::OwnStrips own{1, layout.count - 2};
  const Index pitch = 48, blocks = 2, lines = layout.begin(own.first + own.count) - layout.begin(1);
  const strips::LineField field{blocks, pitch, (lines + 1) * pitch, pitch};
  std::vector<T> expected = random_values<T>(blocks * field.block_stride),
                 known = random_values<T>(strips::EndTable<T>::size(own.count, 1, blocks * pitch));
  Array<T, 1> w = make_array(executor, expected), ends = make_array(executor, known);
  ASSERT_TRUE(resolve_columns(*executor, "sweep", tables.line(), own, field, {ends.view().data, blocks * pitch, 1},
                              strips::FieldValues<T>{w.view().data}));
  executor->synchronize();
  for (Index line = 0; line < blocks * pitch; ++line)
    for (Index n = 0; n < own.count; ++n) {
      T* const at =
          expected.data() + field.at(line / pitch, layout.begin(own.first + n) - layout.begin(1), line % pitch);
      const strips::EndTable<T> table{known.data(), blocks * pitch, 1};
      resolve_one<T>(on_host.line(), own.first + n, {table, line}, static_cast<int>(n), at, pitch);
    }
  EXPECT_EQ(w.to_host(), expected) << rows << " rows";
}
TEST_P(SweepsAhead, StripsInRegisters) {
  for (const Index rows : {12, 70, 257, 1030, 2050}) {
    strips_in_registers<double>(executor, rows);
    strips_in_registers<float>(executor, rows);
  }
}

// Some strips from the second on, in two blocks of 48 columns.
template <class T>
void reduced_in_registers(const ExecutorPtr& executor, Index rows, Index count) {
  const auto tables = tables_of_line<T>(executor, rows, strips::TableOrder::by_strip, false);
  const auto on_host = tables_of_line<T>(make_omp_executor(1), rows, strips::TableOrder::by_strip, false);
  const strips::StripLayout layout = tables.line().layout;
  const strips::OwnStrips own{1, count};
  const Index pitch = 48, blocks = 2, lines = layout.begin(1 + count) - layout.begin(1);
  const strips::LineField field{blocks, pitch, (lines + 1) * pitch, pitch};
  const std::vector<T> values = random_values<T>(blocks * field.block_stride);
  std::vector<T> expected = random_values<T>(strips::EndTable<T>::size(count, 1, blocks * pitch));
  Array<T, 1> w = make_array(executor, values), ends = make_array(executor, expected);
  ASSERT_TRUE(reduce_columns(*executor, "strips", tables.line(), own, field, {ends.view().data, blocks * pitch, 1},
                             w.view().data));
  executor->synchronize();
  for (Index line = 0; line < blocks * pitch; ++line)
    for (Index n = 0; n < count; ++n) {
      const Index begin = layout.begin(1 + n) - layout.begin(1);
      const strips::Ends<T> of = reduced(on_host.line(), 1 + n, [&](int i) {
        return values[static_cast<std::size_t>(field.at(line / pitch, begin + i, line % pitch))];
      });
      const strips::LineEnds<T, T> to{{expected.data(), blocks * pitch, 1}, line};
      to.set(static_cast<int>(n), 0, 0, of.first);
      to.set(static_cast<int>(n), 0, 1, of.last);
    }
  EXPECT_EQ(ends.to_host(), expected) << rows << " rows, " << count << " strips";
}
TEST_P(SweepsAhead, ReducedInRegisters) {
  for (const Index rows : {12, 70, 257, 1030, 2050})
    for (const Index count : {1, 2, 4}) {
      reduced_in_registers<double>(executor, rows, count);
      reduced_in_registers<float>(executor, rows, count);
    }
}

}  // namespace
}  // namespace halocline::fractional
