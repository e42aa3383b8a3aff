// Body for gpu/launch.hpp: a program on lines of points by rows of values, for host devices.
#pragma once

#include "lib/expression/program_kernels.hpp"
#include "lib/fields/point_program_kernels.hpp"

namespace halocline {

// Every worker evaluates as many lines. Result r at point p of line l goes to to[r * result + l * points + p].
struct EvaluateLines {
  static constexpr int most = 8;  // variables, and results

  ProgramView program;
  const PointInput* inputs;
  double number;
  Index lines, points;
  double* to;
  Index result;
  double* scratch;  // for each worker `width` numbers per register
  Index workers;
  int width;

  void operator()(Index worker) const {
    double* const registers = scratch + worker * program.register_count * width;
    for (Index line = worker * lines / workers; line < (worker + 1) * lines / workers; ++line) {
      ProgramInput rows[most];
      double* results[most];
      for (std::uint32_t v = 0; v < program.variable_count; ++v) rows[v] = row_of(inputs[v], line);
      for (std::uint32_t r = 0; r < program.result_count; ++r) results[r] = to + r * result + line * points;
      EvaluateProgram{program, rows, results, registers, points, 1, width}(0);
    }
  }

 private:
  ProgramInput row_of(const PointInput& input, Index line) const {
    if (input.source == PointInput::Source::number) return {&number, true};
    return {input.values == nullptr ? nullptr : input.values + line * input.across, input.along == 0};
  }
};

}  // namespace halocline
