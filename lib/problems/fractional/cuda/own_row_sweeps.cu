// Sweeps along x whose rows have coefficients of their own, in one pass over memory: lines come and go through shared
// memory, two rows at a time, and D with them, in whose place stays what elimination leaves.
#include <algorithm>

#include "lib/problems/fractional/cuda/line_memory.hpp"
#include "lib/problems/fractional/cuda/own_strips.hpp"

namespace halocline::fractional {
namespace {

constexpr int row_threads = 128;  // of a block, for lines of fewer strips

template <class T>
struct OwnLines {
  OwnSweep sweep;
  strips::ContiguousLines lines;
  T* w;
  int places;  // of a line in shared memory
};

// Of a strip.
template <int Length>
struct LineMemory {
  double* line;
  int begin;
  __device__ double& at(int row) const { return line[place_of_row<Length>(begin + row)]; }
};

// Strips threadIdx.x, lines threadIdx.y. In shared memory: D of the lines, their ends, their rows.
template <int Length, class T>
__global__ void __launch_bounds__(row_threads, Length > 16 ? 2 : 4) solve_own_rows(OwnLines<T> of) {
  const NodeValue& D = of.sweep.rows.D;
  const strips::StripLayout& layout = of.sweep.line.layout;
  const int strip = static_cast<int>(threadIdx.x), count = static_cast<int>(blockDim.x);
  const int line = static_cast<int>(threadIdx.y), lines = static_cast<int>(blockDim.y);
  const int all = static_cast<int>(layout.rows);
  const Index number = static_cast<Index>(blockIdx.x) * lines + line;
  const Index start = of.lines.start(number < of.lines.count ? number : 0);
  double* const diffusivity = dynamic_shared<double>() + line * of.places;
  double* const ends = dynamic_shared<double>() + lines * of.places + line * numbers_of_ends(count, 3);
  T* const row = reinterpret_cast<T*>(dynamic_shared<double>() + lines * (of.places + numbers_of_ends(count, 3))) +
                 line * of.places;
  if (D.data != nullptr)
    bring<Length>(diffusivity, D.data + start, all, strip, count);
  else
    for (int i = strip; i < all; i += count) diffusivity[place_of_row<Length>(i)] = D.number;
  bring<Length>(row, of.w + start, all, strip, count);
  __syncthreads();
  const StripOfLine<Length> own_rows(layout, strip);
  const int begin = own_rows.begin, rows = own_rows.rows, last = begin + rows - 1;
  const AxisShape& shape = of.sweep.rows.shape;
  const double before = diffusivity[place_of_row<Length>(begin + static_cast<int>(shape.before(begin)))];
  const double behind = diffusivity[place_of_row<Length>(last + static_cast<int>(shape.behind(last)))];
  double u[most_rows<Length>];
  own_rows.get(row, [&](int i, T value) { u[i] = value; });
  __syncthreads();  // before e takes the place of D
  const OwnRows<LineMemory<Length>> own{of.sweep, {diffusivity, begin}, before, behind, start + begin, begin, rows};
  solve_own_strip_in_block<Length>(own, strip, u, {ends, 1});
  own_rows.set(row, [&](int i) { return u[i]; });
  __syncthreads();
  if (number < of.lines.count) take_back<Length>(of.w + start, row, all, strip, count);
}

int lines_of(const strips::StripLayout& layout) {
  return static_cast<int>(std::max<Index>(1, row_threads / layout.count));
}
template <class T>
std::size_t bytes_of_lines(const strips::StripLayout& layout) {
  const int lines = lines_of(layout);
  return (sizeof(double) + sizeof(T)) * static_cast<std::size_t>(places_of_line(layout) * lines) +
         bytes_of_ends<double>(layout.count, lines, 3);
}

template <class T>
void launch_lines(const Executor& executor, const Label& label, const Blocks& blocks, const OwnLines<T>& of) {
  with_length(of.sweep.line.layout,
              [&](auto length) { launch_blocks(executor, label, blocks, solve_own_rows<length, T>, of); });
}

}  // namespace

bool plan_own_rows(const Executor& executor, const strips::StripLayout& layout) {
  return runs_block_kernels(executor) && layout.count <= most_block_strips &&
         bytes_of_lines<double>(layout) <= block_limits(executor).shared_bytes;
}

template <class T>
void sweep_rows(const Executor& executor, const Label& label, const OwnSweep& sweep,
                const strips::ContiguousLines& lines, T* w) {
  const strips::StripLayout& layout = sweep.line.layout;
  require(lines.distance % 2 == 0 && lines.block % 2 == 0 && sweep.rows.shape.stride == 1,
          "a sweep along x: pairs of rows");
  const int together = lines_of(layout);
  const Blocks blocks{{static_cast<unsigned>((lines.count + together - 1) / together)},
                      {static_cast<unsigned>(layout.count), static_cast<unsigned>(together)},
                      bytes_of_lines<T>(layout)};
  launch_lines(executor, label, blocks, OwnLines<T>{sweep, lines, w, static_cast<int>(places_of_line(layout))});
}
template void sweep_rows(const Executor&, const Label&, const OwnSweep&, const strips::ContiguousLines&, double*);
template void sweep_rows(const Executor&, const Label&, const OwnSweep&, const strips::ContiguousLines&, float*);

}  // namespace halocline::fractional
