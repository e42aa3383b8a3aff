// Strips of columns, along y or z, that threads have in registers, one each. For .cu files.
#pragma once

#include "lib/linalg/strips/field_kernels.hpp"
#include "lib/problems/fractional/cuda/block_strips.hpp"

namespace halocline::fractional {

constexpr int column_strip_threads = 128;  // of a block

// Of the thread: columns threadIdx.x, strips threadIdx.y, blocks of the field blockIdx.z. `exists`: the field has it.
template <class T>
struct ColumnStrip {
  bool exists;
  int place, rows;
  Index at, stride, line;  // at: of its first row; line: of the tables of ends
  RowsOfStrip<T> table;
  __device__ ColumnStrip(const strips::CommonLine<T>& of, const strips::OwnStrips& own, const strips::LineField& field)
      : place(static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y)), stride(field.row_stride) {
    const Index column = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x, block = blockIdx.z;
    const Index strip = own.first + place;
    exists = column < field.columns && place < own.count;
    rows = of.layout.size(strip);
    at = field.at(block, of.layout.begin(strip) - of.layout.begin(own.first), column);
    line = block * field.columns + column;
    table = {of.table.data + strip * of.table.strip_stride};
  }
};

// Whether there is a kernel for such lines.
template <class T>
bool has_column_strips(const Executor& executor, const strips::CommonLine<T>& line, const strips::LineField& field) {
  const Index length = line.layout.length;
  return runs_block_kernels(executor) && line.table.factor_stride == 1 && field.blocks <= most_blocks_across &&
         (length <= 4 || length == 8 || length == 16 || length == 32);
}

// Blocks of so many strips.
inline Blocks blocks_of_strips(const strips::OwnStrips& own, const strips::LineField& field, Index deep) {
  const Index wide = column_strip_threads / deep;
  return {{static_cast<unsigned>((field.columns + wide - 1) / wide),
           static_cast<unsigned>((own.count + deep - 1) / deep), static_cast<unsigned>(field.blocks)},
          {static_cast<unsigned>(wide), static_cast<unsigned>(deep)}};
}

}  // namespace halocline::fractional
