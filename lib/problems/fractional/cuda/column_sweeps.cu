// Sweeps along y and z whose rows have their coefficients in common, in one pass over memory: columns lie beside each
// other, and a block has some of them, strips in registers and their ends in shared memory.
#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int column_threads = 512;  // at most, of a block

// In place of sweeps that store what they solve for.
struct NoUpdate {};

// T: of the line solves. Update: an UpdateOf, or NoUpdate.
template <class T, class Update>
struct ColumnSweep {
  strips::CommonLine<T> line;
  strips::LineField field;
  T* w;
  Update update;
  using Number = T;
  static constexpr bool updates = !std::is_same_v<Update, NoUpdate>, narrow = sizeof(T) < sizeof(double);
};

// UpdateOf::take() of all rows; what eight of them read is under way together, more would not fit into registers.
template <int Length, class Numbers>
__device__ __forceinline__ void take_rows(const UpdateOf<Numbers>& to, Index at, Index stride, int rows,
                                          const typename Numbers::Line (&u)[most_rows<Length>]) {
  constexpr int at_once = 8;
#pragma unroll
  for (int begin = 0; begin < most_rows<Length>; begin += at_once) {
    typename Numbers::Field c[at_once];
    typename Numbers::Slot before[at_once];
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      const int i = begin + n;
      if (i >= most_rows<Length> || (i >= least_rows<Length> && i >= rows)) continue;
      c[n] = to.c[at + i * stride];
      before[n] = to.before == nullptr ? 0 : to.before[at + i * stride];
    }
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      const int i = begin + n;
      if (i >= most_rows<Length> || (i >= least_rows<Length> && i >= rows)) continue;
      to.take(at + i * stride, u[i], before[n], c[n]);
    }
  }
}

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
  strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { u[i] = sweep.w[at + i * stride]; });
  const RowsOfStrip<T> table{sweep.line.table.data + strip * sweep.line.table.strip_stride};
  solve_strip_in_block<Length, T>(sweep.line, table, strip, rows, u, {dynamic_shared<T>() + threadIdx.x, columns});
  if constexpr (Sweep::updates) {
    take_rows<Length>(sweep.update, at, stride, rows, u);
  } else {
    strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { sweep.w[at + i * stride] = u[i]; });
  }
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
  launch_columns(executor, label, ColumnSweep<T, NoUpdate>{line, field, w, {}});
}
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                            double*);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            float*);

template <class Numbers>
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<typename Numbers::Line>& line,
                   const strips::LineField& field, const UpdateOf<Numbers>& update) {
  using Sweep = ColumnSweep<typename Numbers::Line, UpdateOf<Numbers>>;
  launch_columns(executor, label, Sweep{line, field, update.slot, update});
}
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                            const UpdateOf<Fp64>&);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            const UpdateOf<Mixed>&);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            const UpdateOf<Fp32>&);

}  // namespace halocline::fractional
