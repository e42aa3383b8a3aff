// Sweeps along lines whose rows have their coefficients in common, each in one pass over memory: strips in registers,
// their ends in shared memory. Lines along y and z lie beside each other, and a block has some columns of neighbors;
// lines along x go through shared memory.
#include <algorithm>

#include "lib/problems/fractional/cuda/block_strips.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int sweep_threads = 512;  // at most, of a block
constexpr int most_block_strips = 64;
constexpr int rows_at_once = 2;  // that an update asks for

struct ColumnSweep {
  strips::CommonLine<double> line;
  strips::LineField field;
  double* w;
  UpdateField update;  // of sweeps that add what they solve for
};

// Of a line.
__device__ __host__ inline int numbers_of_ends(int strips) { return 2 * (strips + 2); }

// Columns threadIdx.x, strips threadIdx.y.
template <int Most, bool Updates>
__global__ void __launch_bounds__(sweep_threads, Most <= 17 ? 2 : 1) solve_columns(ColumnSweep sweep) {
  const int strip = static_cast<int>(threadIdx.y), columns = static_cast<int>(blockDim.x);
  const int rows = sweep.line.layout.size(strip);
  const Index stride = sweep.field.row_stride;
  const Index at = sweep.field.at(blockIdx.y, sweep.line.layout.begin(strip),
                                  static_cast<Index>(blockIdx.x) * columns + threadIdx.x);
  double u[Most];
#pragma unroll
  for (int i = 0; i < Most; ++i)
    if (i < rows) u[i] = sweep.w[at + i * stride];
  solve_strip_in_block<Most>(sweep.line, strip, rows, u, {dynamic_shared<double>() + threadIdx.x, columns});
  if constexpr (!Updates) {
#pragma unroll
    for (int i = 0; i < Most; ++i)
      if (i < rows) sweep.w[at + i * stride] = u[i];
  } else {
    const UpdateField& to = sweep.update;
#pragma unroll
    for (int begin = 0; begin < Most; begin += rows_at_once) {
      double c[rows_at_once], before[rows_at_once];
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (begin + i < Most && begin + i < rows) {
          c[i] = to.c[at + (begin + i) * stride];
          before[i] = to.before == nullptr ? 0 : to.before[at + (begin + i) * stride];
        }
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (begin + i < Most && begin + i < rows) {
          const double delta = to.before == nullptr ? u[begin + i] : fma(to.ratio, before[i], u[begin + i]);
          to.slot[at + (begin + i) * stride] = delta;
          to.c[at + (begin + i) * stride] = c[i] + delta;
        }
    }
  }
}

// Shared memory of a line along x: strips begin where threads beside each other find different banks.
__device__ inline int place_of_row(int i) { return i + i / 16; }
Index places_of_line(Index rows) { return rows + rows / 16 + 1; }

struct RowSweep {
  strips::CommonLine<double> line;
  Index lines, distance;  // from line to line
  double* w;
  int places;  // of a line in shared memory
};

// Strips threadIdx.x, lines threadIdx.y.
template <int Most>
__global__ void __launch_bounds__(sweep_threads) solve_rows(RowSweep sweep) {
  const int strip = static_cast<int>(threadIdx.x), count = static_cast<int>(blockDim.x);
  const int lines = static_cast<int>(blockDim.y), all = static_cast<int>(sweep.line.layout.rows);
  const Index number = static_cast<Index>(blockIdx.x) * lines + threadIdx.y;
  const bool exists = number < sweep.lines;
  double* const row = dynamic_shared<double>() + static_cast<int>(threadIdx.y) * sweep.places;
  double* const w = sweep.w + number * sweep.distance;
  for (int i = strip; i < all && exists; i += count) __pipeline_memcpy_async(row + place_of_row(i), w + i, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int begin = static_cast<int>(sweep.line.layout.begin(strip)), rows = sweep.line.layout.size(strip);
  double u[Most];
#pragma unroll
  for (int i = 0; i < Most; ++i)
    if (i < rows) u[i] = exists ? row[place_of_row(begin + i)] : 0;
  solve_strip_in_block<Most>(
      sweep.line, strip, rows, u,
      {dynamic_shared<double>() + lines * sweep.places + static_cast<int>(threadIdx.y) * numbers_of_ends(count), 1});
#pragma unroll
  for (int i = 0; i < Most; ++i)
    if (i < rows) row[place_of_row(begin + i)] = u[i];
  __syncthreads();
  for (int i = strip; i < all && exists; i += count) w[i] = row[place_of_row(i)];
}

std::size_t bytes_of_ends(Index strips, int lines) {
  return sizeof(double) * static_cast<std::size_t>(numbers_of_ends(static_cast<int>(strips)) * lines);
}

// Columns of a block: as many as make whole sectors of memory.
int columns_of(const strips::StripLayout& layout) { return layout.count <= 32 ? 16 : 8; }

// Lines along x of a block.
int lines_of(const strips::StripLayout& layout) {
  constexpr Index most_rows = 8704;  // 74 KB
  return static_cast<int>(std::max<Index>(1, std::min(sweep_threads / layout.count, most_rows / layout.rows)));
}
std::size_t bytes_of_rows(const strips::StripLayout& layout) {
  const int lines = lines_of(layout);
  return sizeof(double) * static_cast<std::size_t>(places_of_line(layout.rows) * lines) +
         bytes_of_ends(layout.count, lines);
}

template <bool Updates>
void launch_columns(const Executor& executor, const Label& label, const ColumnSweep& sweep) {
  const strips::StripLayout& layout = sweep.line.layout;
  const int columns = columns_of(layout);
  require(sweep.field.columns % columns == 0, "a sweep: rows of whole blocks");
  const Blocks blocks{{static_cast<unsigned>(sweep.field.columns / columns), static_cast<unsigned>(sweep.field.blocks)},
                      {static_cast<unsigned>(columns), static_cast<unsigned>(layout.count)},
                      bytes_of_ends(layout.count, columns)};
  with_most_rows(layout,
                 [&](auto most) { launch_blocks(executor, label, blocks, solve_columns<most, Updates>, sweep); });
}

}  // namespace

bool plan_sweep(const Executor& executor, const strips::StripLayout& layout) {
  return runs_block_kernels(executor) && layout.count <= most_block_strips &&
         bytes_of_rows(layout) <= block_limits(executor).shared_bytes;
}

void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, double* w) {
  launch_columns<false>(executor, label, {line, field, w, {}});
}

void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, const UpdateField& update) {
  launch_columns<true>(executor, label, {line, field, update.slot, update});
}

void sweep_rows(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                const strips::ContiguousLines& lines, double* w) {
  const strips::StripLayout& layout = line.layout;
  const int together = lines_of(layout);
  const Blocks blocks{{static_cast<unsigned>((lines.count + together - 1) / together)},
                      {static_cast<unsigned>(layout.count), static_cast<unsigned>(together)},
                      bytes_of_rows(layout)};
  const RowSweep sweep{line, lines.count, lines.distance, w, static_cast<int>(places_of_line(layout.rows))};
  with_most_rows(layout, [&](auto most) { launch_blocks(executor, label, blocks, solve_rows<most>, sweep); });
}

}  // namespace halocline::fractional
