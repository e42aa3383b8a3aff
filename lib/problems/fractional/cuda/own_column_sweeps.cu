// Sweeps along y and z whose rows have coefficients of their own, in one pass over memory: as cuda/column_sweeps.cu,
// with D of the rows, and what elimination leaves of them, in shared memory.
#include "lib/problems/fractional/cuda/own_strips.hpp"
#include "lib/problems/fractional/cuda/take_rows.hpp"

namespace halocline::fractional {
namespace {

constexpr int columns = 8;  // of a block: whole sectors of memory

// Update: an UpdateOf, or FieldValues where the solution is stored.
template <class Update>
struct OwnColumns {
  OwnSweep sweep;
  strips::LineField field;
  Update update;
};

// Of a strip.
struct ColumnMemory {
  double* data;
  __device__ double& at(int row) const { return data[row * columns]; }
};
// Strips of rows lie a row further from each other than they are long, in other banks; behind them are the ends.
std::size_t bytes_of_columns(const strips::StripLayout& layout) {
  return sizeof(double) * static_cast<std::size_t>((layout.rows + layout.count) * columns) +
         bytes_of_ends<double>(layout.count, columns, 3);
}

// Columns threadIdx.x, strips threadIdx.y.
template <int Length, class Sweep>
__global__ void __launch_bounds__(columns* most_block_strips, 1) solve_own_columns(Sweep of) {
  const VaryingAxis& axis = of.sweep.rows;
  const strips::StripLayout& layout = of.sweep.line.layout;
  const int strip = static_cast<int>(threadIdx.y), column = static_cast<int>(threadIdx.x), rows = layout.size(strip);
  const Index begin = layout.begin(strip), stride = of.field.row_stride, last = rows - 1;
  const Index at = of.field.at(blockIdx.y, begin, static_cast<Index>(blockIdx.x) * columns + column);
  double* const shared = dynamic_shared<double>();
  const ColumnMemory memory{shared + (begin + strip) * columns + column};
  double u[most_rows<Length>];
  if (axis.D.data != nullptr) {
    strips::each_row<most_rows<Length>, least_rows<Length>>(
        rows, [&](int i) { __pipeline_memcpy_async(&memory.at(i), axis.D.data + at + i * stride, sizeof(double)); });
  } else {
    for (int i = 0; i < rows; ++i) memory.at(i) = axis.D.number;
  }
  __pipeline_commit();
  strips::each_row<most_rows<Length>, least_rows<Length>>(
      rows, [&](int i) { u[i] = static_cast<double>(right_sides(of.update)[at + i * stride]); });
  const double before = axis.D.load<double>(at + axis.shape.before(begin));
  const double behind = axis.D.load<double>(at + last * stride + axis.shape.behind(begin + last));
  __pipeline_wait_prior(0);
  double* const ends = shared + (layout.rows + layout.count) * columns + column;
  const OwnRows<ColumnMemory> own{of.sweep, memory, before, behind, at, begin, rows};
  solve_own_strip_in_block<Length>(own, strip, u, {ends, columns});
  take_rows<Length>(of.update, at, stride, rows, u);
}

template <class Sweep>
void launch_columns(const Executor& executor, const Label& label, const Sweep& of) {
  const strips::StripLayout& layout = of.sweep.line.layout;
  require(of.field.columns % columns == 0 && of.field.row_stride == of.sweep.rows.shape.stride,
          "a sweep: rows of whole blocks");
  const Blocks blocks{{static_cast<unsigned>(of.field.columns / columns), static_cast<unsigned>(of.field.blocks)},
                      {static_cast<unsigned>(columns), static_cast<unsigned>(layout.count)},
                      bytes_of_columns(layout)};
  with_length(layout,
              [&](auto length) { launch_blocks(executor, label, blocks, solve_own_columns<length, Sweep>, of); });
}

}  // namespace

bool plan_own_columns(const Executor& executor, const strips::StripLayout& layout) {
  return runs_block_kernels(executor) && layout.count <= most_block_strips &&
         bytes_of_columns(layout) <= block_limits(executor).shared_bytes;
}

template <class T>
void sweep_columns(const Executor& executor, const Label& label, const OwnSweep& sweep, const strips::LineField& field,
                   T* w) {
  launch_columns(executor, label, OwnColumns<strips::FieldValues<T>>{sweep, field, {w}});
}
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&, double*);
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&, float*);

template <class Numbers>
void sweep_columns(const Executor& executor, const Label& label, const OwnSweep& sweep, const strips::LineField& field,
                   const UpdateOf<Numbers>& update) {
  launch_columns(executor, label, OwnColumns<UpdateOf<Numbers>>{sweep, field, update});
}
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&,
                            const UpdateOf<Fp64>&);
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&,
                            const UpdateOf<Mixed>&);
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&,
                            const UpdateOf<Fp32>&);

}  // namespace halocline::fractional
