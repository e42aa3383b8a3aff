// Body for gpu/launch.hpp: a program on lines of points by rows of values, for host devices; and the same within other
// bodies.
#pragma once

#include "lib/expression/program_kernels.hpp"
#include "lib/fields/point_program_kernels.hpp"

namespace halocline {

/// The values of a variable from a point of a line on.
inline ProgramInput row_of(const PointInput& input, const PointGiven& given, Index point, Index line, Index plane) {
  if (input.source == PointInput::Source::number) return {&given.number, true};
  const double* from = input.source == PointInput::Source::field ? given.field : input.values;
  if (from != nullptr) from += point * input.along + line * input.across + plane * input.over;
  return {from, input.along == 0};
}

/// Every worker evaluates as many lines of a range, plane after plane. Inputs lie along lines without gaps, or have one
/// value for a line.
template <class T>
struct EvaluateRows {
  static constexpr int most = 8;  // variables, and results

  ProgramView program;
  const PointInput* inputs;
  PointGiven given;
  PointRange range;
  PointTarget<T> to;
  double* scratch;  // scratch_of() for each worker
  Index workers;
  int width;
  PointLargest largest;

  /// `width` numbers per register, and where T is float a line of every result.
  static Index scratch_of(Index registers, int width, Index results, Index points) {
    return registers * width + (sizeof(T) == sizeof(double) ? 0 : results * points);
  }
  void operator()(Index worker) const {
    const Index lines = range.planes * range.lines;
    for (Index n = worker * lines / workers; n < (worker + 1) * lines / workers; ++n)
      line(worker, n % range.lines, n / range.lines);
  }

 private:
  void line(Index worker, Index n, Index plane) const {
    const Index registers = program.register_count * width;
    double* const own =
        scratch + worker * scratch_of(program.register_count, width, program.result_count, range.points);
    T* const target = to.data + n * to.across + plane * to.over;
    ProgramInput rows[most];
    for (std::uint32_t v = 0; v < program.variable_count; ++v)
      rows[v] =
          row_of(inputs[v], given, range.first_point, range.first_line + n * range.step, range.first_plane + plane);
    double* results[most];
    for (std::uint32_t r = 0; r < program.result_count; ++r) {
      if constexpr (sizeof(T) == sizeof(double)) {
        results[r] = target + r * to.result;
      } else {
        results[r] = own + registers + r * range.points;
      }
    }
    EvaluateProgram{program, rows, results, own, range.points, 1, width}(0);
    if constexpr (sizeof(T) != sizeof(double))
      for (std::uint32_t r = 0; r < program.result_count; ++r)
        for (Index i = 0; i < range.points; ++i) target[r * to.result + i] = static_cast<T>(results[r][i]);
    if (largest.to != nullptr) note(results[0]);
  }
  void note(const double* values) const {
    double most = 0;
#pragma omp simd reduction(max : most)
    for (Index i = 0; i < range.points; ++i) {
      const double value = largest.counted(values[i]);
      most = value > most ? value : most;
    }
    atomic_raise(largest.to, most);
  }
};

/// A formula, of one result, on pieces of lines along x, for bodies on host devices that go on with its values while
/// these are in cache. All in memory of the executor.
struct FormulaLines {
  static constexpr Index most = EvaluateProgram::block;  // points of a piece

  ProgramView program;
  const PointInput* inputs = nullptr;  // null: there is none
  PointGiven at;

  bool given() const { return inputs != nullptr; }
  // Values at points first, first + 1, ... of line y of plane z, among the inputs or in `registers`,
  // program.register_count rows of `most` numbers.
  ProgramInput operator()(Index z, Index y, Index first, Index count, double* registers) const {
    Rows memory;
    ProgramInput* const rows = memory.rows;
    for (std::uint32_t v = 0; v < program.variable_count; ++v) rows[v] = row_of(inputs[v], at, first, y, z);
    ProgramView silent = program;
    silent.result_count = 0;  // which would be copied
    EvaluateProgram{silent, rows, nullptr, registers, count, 1, static_cast<int>(most)}(0);
    std::uint32_t result = program.results[0];
    if (result < program.variable_count) return rows[result];
    result -= program.variable_count;
    if (result < program.constant_count) return {program.constants + result, true};
    return {registers + (result - program.constant_count) * most, false};
  }

 private:
  // Of variables; not set to nothing before each piece.
  union Rows {
    Rows() {}
    ProgramInput rows[EvaluateRows<double>::most];
  };
};

}  // namespace halocline
