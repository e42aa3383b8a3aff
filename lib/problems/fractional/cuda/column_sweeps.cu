// Sweeps along y and z whose rows have their coefficients in common, in one pass over memory: columns lie beside each
// other, and a block has some of them, strips in registers and their ends in shared memory.
#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/cuda/take_rows.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int column_threads = 512;  // at most, of a block

// T: of the line solves. Update: an UpdateOf, or FieldValues where the solution is stored.
template <class T, class Update>
struct ColumnSweep {
  strips::CommonLine<T> line;
  strips::LineField field;
  Update update;
  using Number = T;
  static constexpr bool updates = !std::is_same_v<Update, strips::FieldValues<T>>, narrow = sizeof(T) < sizeof(double);
};

// Of a multiprocessor, as registers allow.
template <int Length, class Sweep>
constexpr int blocks_of_columns = Length > 16      ? 1
                                  : Sweep::updates ? (Sweep::narrow ? 2 : 1)
                                  : Sweep::narrow  ? 3
                                                   : 2;

// Columns threadIdx.x, strips threadIdx.y.
template <int Length, class Sweep>
__global__ void __launch_bounds__(column_threads, blocks_of_columns<Length, Sweep>) solve_columns(Sweep sweep) {
  using T = typename Sweep::Number;
  const int strip = static_cast<int>(threadIdx.y), columns = static_cast<int>(blockDim.x);
  const int rows = sweep.line.layout.size(strip);
  const Index stride = sweep.field.row_stride;
  const Index at = sweep.field.at(blockIdx.y, sweep.line.layout.begin(strip),
                                  static_cast<Index>(blockIdx.x) * columns + threadIdx.x);
  T u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(
      rows, [&](int i) { u[i] = right_sides(sweep.update)[at + i * stride]; });
  const RowsOfStrip<T> table{sweep.line.table.data + strip * sweep.line.table.strip_stride};
  solve_strip_in_block<Length, T>(sweep.line, table, strip, rows, u, {dynamic_shared<T>() + threadIdx.x, columns});
  take_rows<Length>(sweep.update, at, stride, rows, u);
}

// Of a block: whole sectors of memory, and as many as make whole lines of it where every strip waits for much.
template <class Sweep>
int columns_of(const strips::StripLayout& layout) {
  return Sweep::updates && layout.count <= 32 ? 16 : 8;
}

template <class Sweep>
void launch_columns(const Executor& executor, const Label& label, const Sweep& sweep) {
  const strips::StripLayout& layout = sweep.line.layout;
  const int columns = columns_of<Sweep>(layout);
  require(sweep.field.columns % columns == 0, "a sweep: rows of whole blocks");
  require(sweep.line.table.factor_stride == 1, "a sweep across columns: tables by strip");
  const Blocks blocks{{static_cast<unsigned>(sweep.field.columns / columns), static_cast<unsigned>(sweep.field.blocks)},
                      {static_cast<unsigned>(columns), static_cast<unsigned>(layout.count)},
                      bytes_of_ends<typename Sweep::Number>(layout.count, columns)};
  with_length(layout,
              [&](auto length) { launch_blocks(executor, label, blocks, solve_columns<length, Sweep>, sweep); });
}

}  // namespace

template <class T>
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                   const strips::LineField& field, T* w) {
  launch_columns(executor, label, ColumnSweep<T, strips::FieldValues<T>>{line, field, {w}});
}
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                            double*);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            float*);

template <class Numbers>
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<typename Numbers::Line>& line,
                   const strips::LineField& field, const UpdateOf<Numbers>& update) {
  using Sweep = ColumnSweep<typename Numbers::Line, UpdateOf<Numbers>>;
  launch_columns(executor, label, Sweep{line, field, update});
}
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                            const UpdateOf<Fp64>&);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            const UpdateOf<Mixed>&);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            const UpdateOf<Fp32>&);

}  // namespace halocline::fractional
