// Strips along y or z of a part that shares lines, with coefficients in common, from ends that are known to the
// solution: what strips::resolve_strips() does, with the rows of a strip in registers.
#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/cuda/take_rows.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int resolve_columns_wide = 32, resolve_threads = 128;

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

// Columns threadIdx.x, strips threadIdx.y, blocks of the field blockIdx.z.
template <int Length, class Sweep>
__global__ void __launch_bounds__(resolve_threads, Sweep::blocks) resolve_strips_of_columns(Sweep sweep) {
  using T = typename Sweep::Number;
  const Index column = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x, block = blockIdx.z;
  const int place = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= sweep.field.columns || place >= sweep.own.count) return;
  const strips::StripLayout& layout = sweep.line.layout;
  const Index strip = sweep.own.first + place, stride = sweep.field.row_stride;
  const int rows = layout.size(strip);
  const Index at = sweep.field.at(block, layout.begin(strip) - layout.begin(sweep.own.first), column);
  T u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(
      rows, [&](int i) { u[i] = right_sides(sweep.update)[at + i * stride]; });
  const strips::LineEnds<T, T> ends{sweep.ends, block * sweep.field.columns + column};
  const T L = ends.get(place - 1, 0, 1), R = ends.get(place + 1, 0, 0);
  const RowsOfStrip<T> table{sweep.line.table.data + strip * sweep.line.table.strip_stride};
  reduce_in_registers<Length>(table, rows, u);
  resolve_in_registers<Length>(table, rows, L, R, u);
  take_rows<Length>(sweep.update, at, stride, rows, u);
}

template <class Sweep>
bool resolve(const Executor& executor, const Label& label, const Sweep& sweep) {
  constexpr Index deep = resolve_threads / resolve_columns_wide;
  const Index length = sweep.line.layout.length;
  if (!runs_block_kernels(executor) || sweep.line.table.factor_stride != 1 || sweep.field.blocks > most_blocks_across ||
      (length > 4 && length != 8 && length != 16 && length != 32))
    return false;
  const dim3 grid{static_cast<unsigned>((sweep.field.columns + resolve_columns_wide - 1) / resolve_columns_wide),
                  static_cast<unsigned>((sweep.own.count + deep - 1) / deep),
                  static_cast<unsigned>(sweep.field.blocks)};
  with_length(sweep.line.layout, [&](auto known) {
    launch_blocks(executor, label, {grid, {resolve_columns_wide, static_cast<unsigned>(deep)}},
                  resolve_strips_of_columns<known, Sweep>, sweep);
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
