// Bodies for gpu/launch.hpp: a formula of (x, y, z, t, c) on rows of cells, for host devices, and the errors of a field
// against known values.
#pragma once

#include "lib/expression/program_kernels.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

// Where cells lie in memory: cell (z, y, x) of a part at z * plane + y * pitch + x.
struct CellLayout {
  int dimensions = 2;
  Index extent[3] = {0, 0, 1};  // x, y, z
  Index pitch = 0, plane = 0;

  HALOCLINE_HD Index inner() const { return dimensions == 3 ? extent[1] : 1; }  // rows per row of the slow axis
  // Of the n-th row of cells, counted from row (plane) `first` of the slow axis.
  HALOCLINE_HD Index y_of(Index n, Index first) const { return dimensions == 3 ? n % extent[1] : first + n; }
  HALOCLINE_HD Index z_of(Index n, Index first) const { return dimensions == 3 ? first + n / extent[1] : 0; }
};

// Every worker evaluates as many rows; the pointers show to cell (0, 0, 0).
template <class T>
struct EvaluateFormula {
  ProgramView program;
  CellLayout cells;
  const double *x, *y, *z;  // coordinates of cell 0 along the axes; along the slow one also of the halo
  double t;
  const double* c;  // laid out as `cells`; null where the formula does not use it
  T* out;
  Index pitch, plane;  // of `out`
  Rows rows;           // of the slow axis
  double* scratch;     // for each worker `width` numbers per register, and a row where T is float
  Index workers;
  int width;

  HALOCLINE_HD static Index scratch_of(Index registers, int width, Index across) {
    return registers * width + (sizeof(T) == sizeof(double) ? 0 : across);
  }
  HALOCLINE_HD void operator()(Index worker) const {
    const Index count = (rows.hi - rows.lo) * cells.inner();
    for (Index n = worker * count / workers; n < (worker + 1) * count / workers; ++n)
      row(worker, cells.y_of(n, rows.lo), cells.z_of(n, rows.lo));
  }

 private:
  HALOCLINE_HD void row(Index worker, Index j, Index k) const {
    const Index across = cells.extent[0], registers = program.register_count;
    double* const own = scratch + worker * scratch_of(registers, width, across);
    T* const to = out + k * plane + j * pitch;
    const double* state = c == nullptr ? nullptr : c + k * cells.plane + j * cells.pitch;
    const ProgramInput inputs[5] = {{x, false}, {y + j, true}, {z + k, true}, {&t, true}, {state, false}};
    if constexpr (sizeof(T) == sizeof(double)) {
      run(inputs, to, own);
    } else {
      double* const values = own + registers * width;
      run(inputs, values, own);
      for (Index i = 0; i < across; ++i) to[i] = static_cast<T>(values[i]);
    }
  }
  HALOCLINE_HD void run(const ProgramInput* inputs, double* to, double* registers) const {
    double* const results[1] = {to};
    const EvaluateProgram body{program, inputs, results, registers, cells.extent[0], 1, width};
    body(0);
  }
};

// What lies between the cells of a row and the next row, [row][place].
template <class T>
struct ClearPadding {
  T* c;
  CellLayout cells;
  HALOCLINE_HD void operator()(Index n, Index i) const {
    c[cells.z_of(n, 0) * cells.plane + cells.y_of(n, 0) * cells.pitch + cells.extent[0] + i] = 0;
  }
};

// A known solution of (i, j) on rows of cells: to[row][x].
template <class Cell>
struct FillKnown {
  Cell value;
  CellLayout cells;
  Index first, global;  // row of the slow axis, of the part and of the grid
  double* to;
  HALOCLINE_HD void operator()(Index n, Index i) const {
    to[n * cells.extent[0] + i] = value(i, cells.y_of(n, first) + (cells.dimensions == 3 ? 0 : global));
  }
};

// c - known at cells, known values being [row][x] from row `first` of the slow axis on.
template <class T>
struct CellErrors {
  const T* c;
  CellLayout cells;
  Index first;
  const double* known;

  HALOCLINE_HD double at(Index n, Index i) const {
    const T* row = c + cells.z_of(n, first) * cells.plane + cells.y_of(n, first) * cells.pitch;
    return static_cast<double>(row[i]) - known[n * cells.extent[0] + i];
  }
};

// Squares of a segment of a row, [row][segment], in the order of its cells.
template <class T>
struct SumSquares {
  CellErrors<T> errors;
  Index segments, length;
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    const Index n = chunk / segments, begin = chunk % segments * length, across = errors.cells.extent[0];
    const Index end = begin + length < across ? begin + length : across;
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      const double e = errors.at(n, i);
      sum = fma(e, e, sum);
    }
    sink.add(0, sum);
  }
};

// The largest error of a row, or of a cell; one that is no number is passed over.
template <class T>
struct LargestError {
  CellErrors<T> errors;
  HALOCLINE_HD double operator()(Index n, Index i) const {
    const double e = errors.at(n, i), size = e < 0 ? -e : e;
    return size > 0 ? size : 0;
  }
  HALOCLINE_HD double operator()(Index n) const {
    double largest = 0;
    for (Index i = 0; i < errors.cells.extent[0]; ++i) {
      const double size = (*this)(n, i);
      largest = largest < size ? size : largest;
    }
    return largest;
  }
};

struct Larger {
  HALOCLINE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

}  // namespace halocline::diffusion
