// Sweeps along y and z whose rows have their coefficients in common, in one pass over memory: columns lie beside each
// other, and a block has some of them, strips in registers and their ends in shared memory.
#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int column_threads = 512;  // at most, of a block

struct ColumnSweep {
  strips::CommonLine<double> line;
  strips::LineField field;
  double* w;
  UpdateField update;  // of sweeps that add what they solve for
};

// UpdateField::take() of all rows; what eight of them read is under way together, more would not fit into registers.
template <int Length>
__device__ __forceinline__ void take_rows(const UpdateField& to, Index at, Index stride, int rows,
                                          const double (&u)[most_rows<Length>]) {
  constexpr int at_once = 8;
#pragma unroll
  for (int begin = 0; begin < most_rows<Length>; begin += at_once) {
    double c[at_once], before[at_once];
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

// Columns threadIdx.x, strips threadIdx.y.
template <int Length, bool Updates>
__global__ void __launch_bounds__(column_threads, Length <= 16 && !Updates ? 2 : 1) solve_columns(ColumnSweep sweep) {
  const int strip = static_cast<int>(threadIdx.y), columns = static_cast<int>(blockDim.x);
  const int rows = sweep.line.layout.size(strip);
  const Index stride = sweep.field.row_stride;
  const Index at = sweep.field.at(blockIdx.y, sweep.line.layout.begin(strip),
                                  static_cast<Index>(blockIdx.x) * columns + threadIdx.x);
  double u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { u[i] = sweep.w[at + i * stride]; });
  const RowsOfStrip table{sweep.line.table.data + strip * sweep.line.table.strip_stride};
  solve_strip_in_block<Length>(sweep.line, table, strip, rows, u, {dynamic_shared<double>() + threadIdx.x, columns});
  if constexpr (Updates) {
    take_rows<Length>(sweep.update, at, stride, rows, u);
  } else {
    strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { sweep.w[at + i * stride] = u[i]; });
  }
}

// Of a block: whole sectors of memory, and as many as make whole lines of it where every strip waits for much.
template <bool Updates>
int columns_of(const strips::StripLayout& layout) {
  return Updates && layout.count <= 32 ? 16 : 8;
}

template <bool Updates>
void launch_columns(const Executor& executor, const Label& label, const ColumnSweep& sweep) {
  const strips::StripLayout& layout = sweep.line.layout;
  const int columns = columns_of<Updates>(layout);
  require(sweep.field.columns % columns == 0, "a sweep: rows of whole blocks");
  require(sweep.line.table.factor_stride == 1, "a sweep across columns: tables by strip");
  const Blocks blocks{{static_cast<unsigned>(sweep.field.columns / columns), static_cast<unsigned>(sweep.field.blocks)},
                      {static_cast<unsigned>(columns), static_cast<unsigned>(layout.count)},
                      bytes_of_ends(layout.count, columns)};
  with_length(layout,
              [&](auto length) { launch_blocks(executor, label, blocks, solve_columns<length, Updates>, sweep); });
}

}  // namespace

void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, double* w) {
  launch_columns<false>(executor, label, {line, field, w, {}});
}

void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, const UpdateField& update) {
  launch_columns<true>(executor, label, {line, field, update.slot, update});
}

}  // namespace halocline::fractional
