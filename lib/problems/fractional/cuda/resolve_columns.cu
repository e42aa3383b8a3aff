// Strips along y or z of a part that shares lines, with coefficients in common, from ends that are known to the
// solution: what strips::resolve_strips() does, with the rows of a strip in registers.
#include "lib/problems/fractional/cuda/column_strips.hpp"
#include "lib/problems/fractional/cuda/take_rows.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

// T: of the line solves. Update: an UpdateOf, or FieldValues where the solution is stored.
template <class T, class Update>
struct ColumnResolve {
  strips::CommonLine<T> line;
  strips::OwnStrips own;
  strips::LineField field;
  strips::EndTable<T> ends;
  Update update;
  using Number = T;
  static constexpr bool updates = !std::is_same_v<Update, strips::FieldValues<T>>;
  // Of a multiprocessor, as registers allow: with three of doubles that update they went through memory, at 0.63 in
  // place of 0.81 of copies.
  static constexpr int blocks = updates ? 2 : 4;
};

template <int Length, class Sweep>
__global__ void __launch_bounds__(column_strip_threads, Sweep::blocks) resolve_strips_of_columns(Sweep sweep) {
  using T = typename Sweep::Number;
  const ColumnStrip<T> strip(sweep.line, sweep.own, sweep.field);
  if (!strip.exists) return;
  T u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(
      strip.rows, [&](int i) { u[i] = right_sides(sweep.update)[strip.at + i * strip.stride]; });
  const strips::LineEnds<T, T> ends{sweep.ends, strip.line};
  const T L = ends.get(strip.place - 1, 0, 1), R = ends.get(strip.place + 1, 0, 0);
  reduce_in_registers<Length>(strip.table, strip.rows, u);
  resolve_in_registers<Length>(strip.table, strip.rows, L, R, u);
  take_rows<Length>(sweep.update, strip.at, strip.stride, strip.rows, u);
}

template <class Sweep>
bool resolve(const Executor& executor, const Label& label, const Sweep& sweep) {
  if (!has_column_strips(executor, sweep.line, sweep.field)) return false;
  const Blocks blocks = blocks_of_strips(sweep.own, sweep.field, 4);
  with_length(sweep.line.layout, [&](auto known) {
    launch_blocks(executor, label, blocks, resolve_strips_of_columns<known, Sweep>, sweep);
  });
  return true;
}

}  // namespace

template <class T>
bool resolve_columns(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                     const strips::OwnStrips& own, const strips::LineField& field, const strips::EndTable<T>& ends,
                     const strips::FieldValues<T>& values) {
  return resolve(executor, label, ColumnResolve<T, strips::FieldValues<T>>{line, own, field, ends, values});
}
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<double>&,
                              const strips::OwnStrips&, const strips::LineField&, const strips::EndTable<double>&,
                              const strips::FieldValues<double>&);
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                              const strips::LineField&, const strips::EndTable<float>&,
                              const strips::FieldValues<float>&);

template <class Numbers>
bool resolve_columns(const Executor& executor, const Label& label,
                     const strips::CommonLine<typename Numbers::Line>& line, const strips::OwnStrips& own,
                     const strips::LineField& field, const strips::EndTable<typename Numbers::Line>& ends,
                     const UpdateOf<Numbers>& update) {
  using Sweep = ColumnResolve<typename Numbers::Line, UpdateOf<Numbers>>;
  return resolve(executor, label, Sweep{line, own, field, ends, update});
}
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<double>&,
                              const strips::OwnStrips&, const strips::LineField&, const strips::EndTable<double>&,
                              const UpdateOf<Fp64>&);
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                              const strips::LineField&, const strips::EndTable<float>&, const UpdateOf<Mixed>&);
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                              const strips::LineField&, const strips::EndTable<float>&, const UpdateOf<Fp32>&);

}  // namespace halocline::fractional
