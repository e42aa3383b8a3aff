// Strips along y or z of a part that shares lines, with coefficients in common, reduced to their ends: what
// strips::reduce_strips() does, with the rows of a strip under way together.
#include "lib/problems/fractional/cuda/column_strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

template <class T>
constexpr int reduce_blocks = sizeof(T) < sizeof(double) ? 8 : 5;  // of a multiprocessor, as registers allow

template <class T>
struct ColumnReduce {
  strips::CommonLine<T> line;
  strips::OwnStrips own;
  strips::LineField field;
  strips::EndTable<T> ends;
  const T* values;
};

template <int Length, class T>
__global__ void __launch_bounds__(column_strip_threads, reduce_blocks<T>)
    reduce_strips_of_columns(ColumnReduce<T> sweep) {
  const ColumnStrip<T> strip(sweep.line, sweep.own, sweep.field);
  if (!strip.exists) return;
  const T* const values = sweep.values + strip.at;
  T u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(strip.rows, [&](int i) { u[i] = values[i * strip.stride]; });
  const strips::Ends<T> found = reduce_in_registers<Length>(strip.table, strip.rows, u);
  const strips::LineEnds<T, T> ends{sweep.ends, strip.line};
  ends.set(strip.place, 0, 0, found.first);
  ends.set(strip.place, 0, 1, found.last);
}

}  // namespace

template <class T>
bool reduce_columns(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                    const strips::OwnStrips& own, const strips::LineField& field, const strips::EndTable<T>& ends,
                    const T* values) {
  if (!has_column_strips(executor, line, field)) return false;
  const Blocks blocks = blocks_of_strips(own, field, own.count < 3 ? own.count : 4);
  with_length(line.layout, [&](auto known) {
    launch_blocks(executor, label, blocks, reduce_strips_of_columns<known, T>,
                  ColumnReduce<T>{line, own, field, ends, values});
  });
  return true;
}
template bool reduce_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::OwnStrips&,
                             const strips::LineField&, const strips::EndTable<double>&, const double*);
template bool reduce_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                             const strips::LineField&, const strips::EndTable<float>&, const float*);

}  // namespace halocline::fractional
