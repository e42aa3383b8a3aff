// Strips along y or z of a part that shares lines, with coefficients in common, reduced to their ends: what
// strips::reduce_strips() does, with the rows of a strip under way together.
#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int reduce_threads = 128;
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

// Columns threadIdx.x, strips threadIdx.y, blocks of the field blockIdx.z.
template <int Length, class T>
__global__ void __launch_bounds__(reduce_threads, reduce_blocks<T>) reduce_strips_of_columns(ColumnReduce<T> sweep) {
  const Index column = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x, block = blockIdx.z;
  const int place = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= sweep.field.columns || place >= sweep.own.count) return;
  const strips::StripLayout& layout = sweep.line.layout;
  const Index strip = sweep.own.first + place, stride = sweep.field.row_stride;
  const int rows = layout.size(strip);
  const T* const values =
      sweep.values + sweep.field.at(block, layout.begin(strip) - layout.begin(sweep.own.first), column);
  T u[most_rows<Length>];
  strips::each_row<most_rows<Length>, least_rows<Length>>(rows, [&](int i) { u[i] = values[i * stride]; });
  const RowsOfStrip<T> table{sweep.line.table.data + strip * sweep.line.table.strip_stride};
  const strips::Ends<T> found = reduce_in_registers<Length>(table, rows, u);
  const strips::LineEnds<T, T> ends{sweep.ends, block * sweep.field.columns + column};
  ends.set(place, 0, 0, found.first);
  ends.set(place, 0, 1, found.last);
}

}  // namespace

template <class T>
bool reduce_columns(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                    const strips::OwnStrips& own, const strips::LineField& field, const strips::EndTable<T>& ends,
                    const T* values) {
  if (!runs_block_kernels(executor) || line.table.factor_stride != 1 || field.blocks > most_blocks_across) return false;
  const Index deep = own.count < 3 ? own.count : 4, wide = reduce_threads / deep;
  const dim3 grid{static_cast<unsigned>((field.columns + wide - 1) / wide),
                  static_cast<unsigned>((own.count + deep - 1) / deep), static_cast<unsigned>(field.blocks)};
  with_length(line.layout, [&](auto known) {
    launch_blocks(executor, label, {grid, {static_cast<unsigned>(wide), static_cast<unsigned>(deep)}},
                  reduce_strips_of_columns<known, T>, ColumnReduce<T>{line, own, field, ends, values});
  });
  return true;
}
template bool reduce_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::OwnStrips&,
                             const strips::LineField&, const strips::EndTable<double>&, const double*);
template bool reduce_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                             const strips::LineField&, const strips::EndTable<float>&, const float*);

}  // namespace halocline::fractional
