// Sweeps along x and y of parts that share lines, with coefficients in common, which also reduce the strips of the axis
// to come: what strips::RowsAheadBody and strips::ColumnsAheadBody do.
#include "lib/problems/fractional/cuda/warp_line.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

// A block solves the lines along x of a strip in a plane, some at a time, and goes on with the rows of the strip in
// shared memory, columns its threads'; two sets of lines in turn, so that all wait but once for each.
template <class T>
constexpr int rows_ahead_blocks = row_blocks<T> - 1;  // of a multiprocessor: with one more they were slower
template <class T>
struct RowsAheadSweep {
  strips::RowsAhead<T> of;
  int places;  // of a line in shared memory
};
template <class T>
std::size_t bytes_of_rows_ahead(const strips::StripLayout& rows, Index columns) {
  const Index lines = 2 * lines_of_warps(rows) * places_of_line(rows.rows);
  return sizeof(T) * static_cast<std::size_t>(LaneJoins<T>::size + 2 * columns + lines);
}

// Some rows of a strip, from `first` on, that lie in shared memory; ends of those before are kept in `ends`.
template <class T>
__device__ __forceinline__ void reduce_lines(const RowsAheadSweep<T>& sweep, Index strip, int place, Index block,
                                             int first, int count, const T* lines, T* ends) {
  const strips::RowsAhead<T>& of = sweep.of;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x),
            all = static_cast<int>(of.line.layout.rows);
  const int columns = static_cast<int>(of.field.columns);
  const bool last = first + count == of.layout.size(strip);
  const RowsOfStrip<T> table{of.table.data + strip * of.table.strip_stride};
  for (int column = thread; column < columns; column += row_threads) {
    strips::Ends<T> now{0, 0};
    if (first > 0) now = {ends[column], ends[columns + column]};
    if (column < all)
      for (int k = 0; k < count; ++k)
        strips::reduce_row<T>(table, 0, first + k, lines[k * sweep.places + place_of_row(column)], now);
    if (last) {
      const strips::LineEnds<T, T> to{of.ends, block * of.field.columns + column};
      to.set(place, 0, 0, now.first);
      to.set(place, 0, 1, now.last);
    } else {
      ends[column] = now.first;
      ends[columns + column] = now.last;
    }
  }
}

// Lanes threadIdx.x, lines threadIdx.y.
template <int Length, class T>
__global__ void __launch_bounds__(row_threads, rows_ahead_blocks<T>) solve_rows_ahead(RowsAheadSweep<T> sweep) {
  const strips::RowsAhead<T>& of = sweep.of;
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  const int all = static_cast<int>(of.line.layout.rows), together = static_cast<int>(blockDim.y);
  const WarpLine<Length, T> line(of.line, dynamic_shared<T>());
  T* const ends = dynamic_shared<T>() + LaneJoins<T>::size;
  T* const sets = ends + 2 * of.field.columns;
  __syncthreads();
  int set = 0;
  for (Index n = blockIdx.x; n < of.strips(); n += gridDim.x) {
    const Index block = n / of.own.count, strip = of.own.first + n % of.own.count;
    const int rows = of.layout.size(strip);
    T* const start = of.w + of.field.at(block, of.layout.begin(strip) - of.layout.begin(of.own.first), 0);
    for (int first = 0; first < rows; first += together, set = 1 - set) {
      T* const lines = sets + set * together * sweep.places;
      T* const row = lines + static_cast<int>(threadIdx.y) * sweep.places;
      const int number = first + static_cast<int>(threadIdx.y);
      T* const w = start + (number < rows ? number : first) * of.field.row_stride;
      bring(row, w, all, lane, lanes);
      __syncwarp();
      if (number + together < rows) prefetch_line(w + together * of.field.row_stride, all, lane, lanes);
      line.solve(row);
      if (number < rows) take_back(w, row, all, lane, lanes);
      __syncthreads();
      reduce_lines(sweep, strip, static_cast<int>(n % of.own.count), block, first,
                   rows - first < together ? rows - first : together, lines, ends);
    }
  }
}

// A thread has a strip along y of a column in every plane of a strip along z, and ends of the latter, of each of its
// rows, in shared memory.
template <class T>
struct ColumnsAheadSweep {
  strips::ColumnsAhead<T> of;
  bool prefetches;  // rows of the next plane
};
constexpr int ahead_columns = 32, ahead_threads = 128;
template <class T>
constexpr int ahead_blocks = sizeof(T) < sizeof(double) ? 5 : 3;  // of a multiprocessor
template <class T>
std::size_t bytes_of_columns_ahead(int most) {
  return sizeof(T) * static_cast<std::size_t>(2 * most * ahead_threads);
}

// Columns threadIdx.x, strips along y threadIdx.y, those along z blockIdx.z.
template <int Length, class T>
__global__ void __launch_bounds__(ahead_threads, ahead_blocks<T>) solve_columns_ahead(ColumnsAheadSweep<T> sweep) {
  const strips::ColumnsAhead<T>& of = sweep.of;
  const Index column = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int place = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= of.field.columns || place >= of.own.count) return;
  const strips::StripPlace rows = of.rows(place);
  const Index z = of.planes.first + blockIdx.z, stride = of.field.row_stride;
  const Index plane = of.layout.begin(z) - of.layout.begin(of.planes.first);
  const int planes = of.layout.size(z);
  const RowsOfStrip<T> table{of.line.table.data + rows.strip * of.line.table.strip_stride};
  const RowsOfStrip<T> ahead{of.table.data + z * of.table.strip_stride};
  T* const kept = dynamic_shared<T>() + threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = 0; k < planes; ++k) {
    T* const w = of.w + of.field.at(plane + k, rows.begin, column);
    const strips::LineEnds<T, T> ends{of.ends, (plane + k) * of.field.columns + column};
    T u[most_rows<Length>];
    strips::each_row<most_rows<Length>, least_rows<Length>>(rows.rows, [&](int i) { u[i] = w[i * stride]; });
    const T L = ends.get(place - 1, 0, 1), R = ends.get(place + 1, 0, 0);
    if (sweep.prefetches && k + 1 < planes && threadIdx.x % (128 / sizeof(T)) == 0)
      for (int i = 0; i < rows.rows; ++i) prefetch(w + of.field.block_stride + i * stride);
    reduce_in_registers<Length>(table, rows.rows, u);
    strips::resolve_strip<T, most_rows<Length>, least_rows<Length>>(
        table, 0, rows.rows, L, R, [&](int i) { return u[i]; },
        [&](int i, T value) {
          w[i * stride] = value;
          T* const at = kept + 2 * i * ahead_threads;
          strips::Ends<T> now{0, 0};
          if (k > 0) now = {at[0], at[ahead_threads]};
          strips::reduce_row<T>(ahead, 0, k, value, now);
          at[0] = now.first;
          at[ahead_threads] = now.last;
        });
  }
  const Index first = rows.begin * of.field.columns;
  const typename strips::ColumnsAhead<T>::Chunk& chunk = of.chunk(first);
  for (int i = 0; i < rows.rows; ++i) {
    const strips::LineEnds<T, T> to{chunk.ends, first - chunk.begin + i * of.field.columns + column};
    const T* const at = kept + 2 * i * ahead_threads;
    to.set(of.place + static_cast<int>(blockIdx.z), 0, 0, at[0]);
    to.set(of.place + static_cast<int>(blockIdx.z), 0, 1, at[ahead_threads]);
  }
}

template <class T>
void launch_rows_ahead(const Executor& executor, const Label& label, const RowsAheadSweep<T>& sweep) {
  const strips::RowsAhead<T>& of = sweep.of;
  const strips::StripLayout& layout = of.line.layout;
  require(of.field.row_stride % 2 == 0 && of.line.table.strip_stride == 1 && of.table.factor_stride == 1,
          "a sweep along x: pairs of rows, tables by row, of strips across by strip");
  const int together = lines_of_warps(layout);
  const Index resident = block_limits(executor).multiprocessors * rows_ahead_blocks<T>;
  const Blocks blocks{{static_cast<unsigned>(std::min(of.strips(), resident))},
                      {static_cast<unsigned>(row_threads / together), static_cast<unsigned>(together)},
                      bytes_of_rows_ahead<T>(layout, of.field.columns)};
  with_length(layout, [&](auto length) { launch_blocks(executor, label, blocks, solve_rows_ahead<length, T>, sweep); });
}

unsigned in_blocks_of(Index count, Index size) { return static_cast<unsigned>((count + size - 1) / size); }

// Doubles fill the device with loads of their own once it has no place for another block.
template <class T>
void launch_columns_ahead(const Executor& executor, const Label& label, const strips::ColumnsAhead<T>& of) {
  require(of.line.table.factor_stride == 1 && of.table.factor_stride == 1, "a sweep across columns: tables by strip");
  constexpr Index rows = ahead_threads / ahead_columns;
  const dim3 grid{in_blocks_of(of.field.columns, ahead_columns), in_blocks_of(of.own.count, rows),
                  static_cast<unsigned>(of.planes.count)};
  const Index blocks = static_cast<Index>(grid.x) * grid.y * grid.z;
  const bool prefetches =
      sizeof(T) < sizeof(double) || blocks <= block_limits(executor).multiprocessors * ahead_blocks<T>;
  const ColumnsAheadSweep<T> sweep{of, prefetches};
  with_length(of.line.layout, [&](auto length) {
    const Blocks shape{
        grid, {ahead_columns, static_cast<unsigned>(rows)}, bytes_of_columns_ahead<T>(most_rows<length>)};
    launch_blocks(executor, label, shape, solve_columns_ahead<length, T>, sweep);
  });
}

}  // namespace

template <class T>
bool plan_rows_ahead(const Executor& executor, const strips::StripLayout& rows, Index columns) {
  return runs_block_kernels(executor) && rows.count <= most_lanes &&
         rows_ahead_blocks<T> * (bytes_of_rows_ahead<T>(rows, columns) + 1024) <= block_limits(executor).shared_bytes;
}
template bool plan_rows_ahead<double>(const Executor&, const strips::StripLayout&, Index);
template bool plan_rows_ahead<float>(const Executor&, const strips::StripLayout&, Index);

template <class T>
void sweep_rows_ahead(const Executor& executor, const Label& label, const strips::RowsAhead<T>& sweep) {
  launch_rows_ahead(executor, label,
                    RowsAheadSweep<T>{sweep, static_cast<int>(places_of_line(sweep.line.layout.rows))});
}
template void sweep_rows_ahead(const Executor&, const Label&, const strips::RowsAhead<double>&);
template void sweep_rows_ahead(const Executor&, const Label&, const strips::RowsAhead<float>&);

// Where most of a device is without threads, strips are better read once more.
template <class T>
bool plan_columns_ahead(const Executor& executor, Index columns, const strips::OwnStrips& rows,
                        const strips::OwnStrips& planes) {
  return runs_block_kernels(executor) &&
         columns * rows.count * planes.count >= block_limits(executor).multiprocessors * ahead_threads * 3 / 4;
}
template bool plan_columns_ahead<double>(const Executor&, Index, const strips::OwnStrips&, const strips::OwnStrips&);
template bool plan_columns_ahead<float>(const Executor&, Index, const strips::OwnStrips&, const strips::OwnStrips&);

template <class T>
void sweep_columns_ahead(const Executor& executor, const Label& label, const strips::ColumnsAhead<T>& sweep) {
  launch_columns_ahead(executor, label, sweep);
}
template void sweep_columns_ahead(const Executor&, const Label&, const strips::ColumnsAhead<double>&);
template void sweep_columns_ahead(const Executor&, const Label&, const strips::ColumnsAhead<float>&);

}  // namespace halocline::fractional
