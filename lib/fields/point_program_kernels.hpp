// Body for gpu/launch.hpp: a program at single points, for devices with a thread per point.
//
// All threads follow the same instructions, so nothing diverges; registers are memory of the thread. Where values of
// variables lie is told by strides, so that tables along one coordinate and fields on all points serve alike.
#pragma once

#include "lib/base/atomics.hpp"
#include "lib/base/memory/read_only.hpp"
#include "lib/base/view.hpp"
#include "lib/expression/program_kernels.hpp"

namespace halocline {

// An Instruction that is fetched at once.
struct alignas(16) PointInstruction {
  std::uint32_t operation : 8, result : 24;
  std::uint32_t a, b, c;
};

// What is given with a call: one number for all points, and a field.
struct PointGiven {
  double number = 0;
  const double* field = nullptr;
};

// Value of a variable: values[point * along + line * across + plane * over], the same of the given field, or the given
// number. Null where the program does not use it.
struct PointInput {
  enum class Source : int { values, field, number };
  const double* values = nullptr;
  Index along = 0, across = 0, over = 0;
  Source source = Source::values;

  HALOCLINE_HD double at(Index point, Index line, Index plane, const PointGiven& given) const {
    if (source == Source::number) return given.number;
    const double* from = source == Source::field ? given.field : values;
    return from[point * along + line * across + plane * over];
  }
};

// Planes of lines of points: points `first_point`, first_point + 1, ... of every `step`-th line from `first_line` on of
// planes first_plane, first_plane + 1, ...
struct PointRange {
  Index planes = 1, lines = 0, points = 0;  // how many
  Index first_plane = 0, first_line = 0, step = 1, first_point = 0;
};

// Result r at the n-th point of the m-th line of a range goes to data[r * result + n + m * across + plane * over].
template <class T>
struct PointTarget {
  T* data;
  Index result, across, over;
};

// Where the largest value of a program's first result is noted, in the pass that computes it.
struct PointLargest {
  Bits* to = nullptr;  // raised to the bits of the largest value, at least 0; null: nothing is noted
  bool strict = true;  // what is no number or below 0 counts as infinity; else that and infinity do not count

  HALOCLINE_HD double counted(double value) const {
    constexpr double infinity = __builtin_huge_val();
    if (strict) return value >= 0 ? value : infinity;
    return value > 0 && value < infinity ? value : 0;
  }
};

// A program's arrays in memory of an executor; operands as Instruction has them.
struct PointProgramView {
  const PointInstruction* instructions = nullptr;
  const double* constants = nullptr;
  const std::uint32_t* results = nullptr;
  std::uint32_t instruction_count = 0, constant_count = 0, result_count = 0, variable_count = 0;
};

// Registers of one point: the thread's own, or every `step`-th number of memory that all share.
template <int Count>
struct OwnRegisters {
  double values[Count];
  HALOCLINE_HD double& operator[](std::uint32_t k) { return values[k]; }
};
struct SharedRegisters {
  double* first;
  Index step;
  HALOCLINE_HD double& operator[](std::uint32_t k) { return first[k * step]; }
};

// The value of an operand at a point.
template <class Registers>
struct PointOperands {
  const PointProgramView& program;
  const PointInput* inputs;
  const PointGiven& given;
  Index point, line, plane;
  Registers& registers;

  HALOCLINE_HD double operator()(std::uint32_t index) const {
    if (index < program.variable_count) return inputs[index].at(point, line, plane, given);
    index -= program.variable_count;
    if (index < program.constant_count) return program.constants[index];
    return registers[index - program.constant_count];
  }
};

// Rows (the lines of a range, plane after plane) x points. Own: registers that a thread has; 0: they lie in `scratch`,
// [register][row - first_row][point], of `workers` numbers each.
template <class T, int Own>
struct EvaluatePoints {
  PointProgramView program;
  const PointInput* inputs;
  PointGiven given;
  PointRange range;
  PointTarget<T> to;
  double* scratch;
  Index first_row, workers;
  PointLargest largest;

  HALOCLINE_HD void operator()(Index row, Index point) const {
    const Index plane = row < range.lines ? 0 : row / range.lines, line = row - plane * range.lines;
    const Index x = range.first_point + point, y = range.first_line + line * range.step, z = range.first_plane + plane;
    T* const target = to.data + point + line * to.across + plane * to.over;
    if constexpr (Own > 0) {
      OwnRegisters<Own> registers;
      run(PointOperands<OwnRegisters<Own>>{program, inputs, given, x, y, z, registers}, target);
    } else {
      SharedRegisters registers{scratch + (row - first_row) * range.points + point, workers};
      run(PointOperands<SharedRegisters>{program, inputs, given, x, y, z, registers}, target);
    }
  }
  void row(Index row, Index begin, Index end) const {
    for (Index point = begin; point < end; ++point) (*this)(row, point);
  }

 private:
  template <class Operands>
  HALOCLINE_HD void run(const Operands& operand, T* target) const {
    for (std::uint32_t n = 0; n < program.instruction_count; ++n) {
      const PointInstruction step = program.instructions[n];
      const auto operation = static_cast<Operation>(step.operation);
      const int operands = arity(operation);
      const double a = operand(step.a), b = operands > 1 ? operand(step.b) : 0, c = operands > 2 ? operand(step.c) : 0;
      operand.registers[step.result] = apply(operation, a, b, c);
    }
    for (std::uint32_t r = 0; r < program.result_count; ++r)
      target[r * to.result] = static_cast<T>(operand(program.results[r]));
    if (largest.to != nullptr) atomic_raise(largest.to, largest.counted(operand(program.results[0])));
  }
};

}  // namespace halocline
