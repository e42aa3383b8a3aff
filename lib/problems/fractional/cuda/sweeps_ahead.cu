// Sweeps along x and y of parts that share lines, with coefficients in common, which also reduce the strips of the axis
// to come: what strips::RowsAheadBody and strips::ColumnsAheadBody do.
#include "lib/problems/fractional/cuda/warp_line.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {
namespace {

// A block solves the lines along x of a strip in a plane, some at a time, and goes on with the rows of the strip in
// shared memory, columns its threads'.
template <class T>
struct RowsAheadSweep {
  strips::RowsAhead<T> of;
  int places;  // of a line in shared memory
};
HALOCLINE_HD constexpr RowShape rows_ahead_shape(int length, std::size_t number) {
  if (number < sizeof(double)) return length > 16 ? RowShape{2, 3} : RowShape{2, 5};
  return length > 16 ? RowShape{1, 2} : RowShape{2, 3};
}
template <class T>
RowShape rows_ahead_shape(const strips::StripLayout& rows) {
  return rows_ahead_shape(static_cast<int>(rows.length), sizeof(T));
}
template <class T>
std::size_t bytes_of_rows_ahead(const strips::StripLayout& rows, Index columns) {
  const Index lines = rows_ahead_shape<T>(rows).lines_of_block(rows) * places_of_line(rows);
  return sizeof(T) * static_cast<std::size_t>(LaneJoins<T>::size + 2 * columns + lines);
}

// Some rows of a strip, from `first` on, that lie in shared memory; ends of those before are kept in `ends`. A thread
// has some columns at a time, for which it reads factors once.
template <int Length, class T>
__device__ __forceinline__ void reduce_lines(const RowsAheadSweep<T>& sweep, Index strip, int place, Index block,
                                             int first, int count, const T* lines, T* ends) {
  constexpr int columns_at_once = 4;
  const strips::RowsAhead<T>& of = sweep.of;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const int columns = static_cast<int>(of.field.columns), all = static_cast<int>(of.line.layout.rows);
  const bool last = first + count == of.layout.size(strip);
  const RowsOfStrip<T> table{of.table.data + strip * of.table.strip_stride};
  for (int begin = thread; begin < columns; begin += columns_at_once * row_threads) {
    const auto each = [&](const auto& call) {
#pragma unroll
      for (int n = 0; n < columns_at_once; ++n)
        if (begin + n * row_threads < columns) call(n, begin + n * row_threads);
    };
    strips::Ends<T> now[columns_at_once];
    each([&](int n, int column) {
      now[n] = {0, 0};
      if (first > 0) now[n] = {ends[column], ends[columns + column]};
    });
#pragma unroll 4
    for (int k = 0; k < count; ++k) {
      const T* const line = lines + k * sweep.places;
      each([&](int n, int column) {
        if (column < all) strips::reduce_row<T>(table, 0, first + k, line[place_of_row<Length>(column)], now[n]);
      });
    }
    each([&](int n, int column) {
      if (last) {
        const strips::LineEnds<T, T> to{of.ends, block * of.field.columns + column};
        to.set(place, 0, 0, now[n].first);
        to.set(place, 0, 1, now[n].last);
      } else {
        ends[column] = now[n].first;
        ends[columns + column] = now[n].last;
      }
    });
  }
}

// Lanes threadIdx.x, lines threadIdx.y and, where a lane has several, as many further on.
template <int Length, class T>
__global__ void __launch_bounds__(row_threads, rows_ahead_shape(Length, sizeof(T)).blocks)
    solve_rows_ahead(RowsAheadSweep<T> sweep) {
  const strips::RowsAhead<T>& of = sweep.of;
  constexpr int lines = rows_ahead_shape(Length, sizeof(T)).lines;
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  const int all = static_cast<int>(of.line.layout.rows), warps = static_cast<int>(blockDim.y);
  const int together = warps * lines, distance = warps * sweep.places;
  const WarpLine<Length, T, lines> line(of.line, dynamic_shared<T>());
  T* const ends = dynamic_shared<T>() + LaneJoins<T>::size;
  T* const set = ends + 2 * of.field.columns;
  T* const row = set + static_cast<int>(threadIdx.y) * sweep.places;
  __syncthreads();
  for (Index n = blockIdx.x; n < of.strips(); n += gridDim.x) {
    const Index block = n / of.own.count, strip = of.own.first + n % of.own.count;
    const int rows = of.layout.size(strip);
    T* const start = of.w + of.field.at(block, of.layout.begin(strip) - of.layout.begin(of.own.first), 0);
    for (int first = 0; first < rows; first += together) {
      const auto each = [&](const auto& call) {  // of the lane's lines
#pragma unroll
        for (int k = 0; k < lines; ++k) call(first + k * warps + static_cast<int>(threadIdx.y), row + k * distance);
      };
      each([&](int number, T* at) {
        start_bringing<Length>(at, start + (number < rows ? number : first) * of.field.row_stride, all, lane, lanes);
      });
      finish_bringing();
      __syncwarp();
      each([&](int number, T*) {
        if (number + together < rows)
          prefetch_line(start + (number + together) * of.field.row_stride, all, lane, lanes);
      });
      line.solve(row, distance);
      each([&](int number, T* at) {
        if (number < rows) take_back<Length>(start + number * of.field.row_stride, at, all, lane, lanes);
      });
      __syncthreads();
      reduce_lines<Length>(sweep, strip, static_cast<int>(n % of.own.count), block, first,
                           rows - first < together ? rows - first : together, set, ends);
      __syncthreads();
    }
  }
}

// A thread has a strip along y of a column in every plane of a strip along z, and ends of the latter, of each of its
// rows, in shared memory. Two blocks of a multiprocessor leave registers for the rows of two planes; with three, those
// that had begun last ran alone for long.
constexpr int ahead_columns = 32, ahead_threads = 128, ahead_blocks = 2;
template <class T>
std::size_t bytes_of_columns_ahead(int most) {
  return sizeof(T) * static_cast<std::size_t>(2 * most * ahead_threads);
}

// Right-hand sides of a strip along y, and u beside it.
template <int Length, class T>
struct StripOfPlane {
  T u[most_rows<Length>], L, R;
  __device__ __forceinline__ void read(const strips::ColumnsAhead<T>& of, const strips::StripPlace& rows, Index plane,
                                       Index column) {
    const T* const w = of.w + of.field.at(plane, rows.begin, column);
    strips::each_row<most_rows<Length>, least_rows<Length>>(rows.rows,
                                                            [&](int i) { u[i] = w[i * of.field.row_stride]; });
    const strips::LineEnds<T, T> ends{of.ends, plane * of.field.columns + column};
    L = ends.get(static_cast<int>(rows.place) - 1, 0, 1);
    R = ends.get(static_cast<int>(rows.place) + 1, 0, 0);
  }
};

// Columns threadIdx.x, strips along y threadIdx.y, those along z blockIdx.z.
template <int Length, class T>
__global__ void __launch_bounds__(ahead_threads, ahead_blocks) solve_columns_ahead(strips::ColumnsAhead<T> of) {
  const Index column = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int place = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= of.field.columns || place >= of.own.count) return;
  const strips::StripPlace rows = of.rows(place);
  const Index z = of.planes.first + blockIdx.z, stride = of.field.row_stride;
  const Index first_plane = of.layout.begin(z) - of.layout.begin(of.planes.first);
  const int planes = of.layout.size(z);
  const RowsOfStrip<T> table{of.line.table.data + rows.strip * of.line.table.strip_stride};
  const RowsOfStrip<T> ahead{of.table.data + z * of.table.strip_stride};
  T* const kept = dynamic_shared<T>() + threadIdx.y * blockDim.x + threadIdx.x;
  // Floats come nearer instead, which was faster.
  constexpr bool reads_next = sizeof(T) == sizeof(double);
  StripOfPlane<Length, T> now, next;
  if (reads_next) next.read(of, rows, first_plane, column);
  for (int k = 0; k < planes; ++k) {
    T* const w = of.w + of.field.at(first_plane + k, rows.begin, column);
    if constexpr (reads_next) {
      now = next;
      if (k + 1 < planes) next.read(of, rows, first_plane + k + 1, column);
    } else {
      now.read(of, rows, first_plane + k, column);
      if (k + 1 < planes && threadIdx.x % (128 / sizeof(T)) == 0)
        for (int i = 0; i < rows.rows; ++i) prefetch(w + of.field.block_stride + i * stride);
    }
    reduce_in_registers<Length>(table, rows.rows, now.u);
    strips::resolve_strip<T, most_rows<Length>, least_rows<Length>>(
        table, 0, rows.rows, now.L, now.R, [&](int i) { return now.u[i]; },
        [&](int i, T value) {
          w[i * stride] = value;
          T* const at = kept + 2 * i * ahead_threads;
          strips::Ends<T> ends{0, 0};
          if (k > 0) ends = {at[0], at[ahead_threads]};
          strips::reduce_row<T>(ahead, 0, k, value, ends);
          at[0] = ends.first;
          at[ahead_threads] = ends.last;
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
  const Index resident = block_limits(executor).multiprocessors * rows_ahead_shape<T>(layout).blocks;
  const auto lanes = static_cast<unsigned>(lanes_of_line(layout));
  const Blocks blocks{{static_cast<unsigned>(std::min(of.strips(), resident))},
                      {lanes, row_threads / lanes},
                      bytes_of_rows_ahead<T>(layout, of.field.columns)};
  with_length(layout, [&](auto length) { launch_blocks(executor, label, blocks, solve_rows_ahead<length, T>, sweep); });
}

unsigned in_blocks_of(Index count, Index size) { return static_cast<unsigned>((count + size - 1) / size); }

template <class T>
void launch_columns_ahead(const Executor& executor, const Label& label, const strips::ColumnsAhead<T>& of) {
  require(of.line.table.factor_stride == 1 && of.table.factor_stride == 1, "a sweep across columns: tables by strip");
  constexpr Index rows = ahead_threads / ahead_columns;
  const dim3 grid{in_blocks_of(of.field.columns, ahead_columns), in_blocks_of(of.own.count, rows),
                  static_cast<unsigned>(of.planes.count)};
  with_length(of.line.layout, [&](auto length) {
    const Blocks blocks{
        grid, {ahead_columns, static_cast<unsigned>(rows)}, bytes_of_columns_ahead<T>(most_rows<length>)};
    launch_blocks(executor, label, blocks, solve_columns_ahead<length, T>, of);
  });
}

}  // namespace

template <class T>
bool plan_rows_ahead(const Executor& executor, const strips::StripLayout& rows, Index columns) {
  return runs_block_kernels(executor) && rows.count <= most_lanes &&
         rows_ahead_shape<T>(rows).blocks * (bytes_of_rows_ahead<T>(rows, columns) + 1024) <=
             block_limits(executor).shared_bytes;
}
template bool plan_rows_ahead<double>(const Executor&, const strips::StripLayout&, Index);
template bool plan_rows_ahead<float>(const Executor&, const strips::StripLayout&, Index);

template <class T>
void sweep_rows_ahead(const Executor& executor, const Label& label, const strips::RowsAhead<T>& sweep) {
  launch_rows_ahead(executor, label, RowsAheadSweep<T>{sweep, static_cast<int>(places_of_line(sweep.line.layout))});
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
