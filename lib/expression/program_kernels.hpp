// Operations of formulas, and the functor that runs a flat program over blocks of points on any executor.
//
// A register is a row of up to `width` doubles in scratch memory; every instruction is one plain loop over the row,
// which compilers vectorize. A point's result does not depend on its block: every operation works element by element.
// Memory traffic: inputs once, results once, registers stay in cache (2 KiB each at width 256).
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/types.hpp"

namespace halocline {

// Ordered by the number of operands: 0 (leaves, never instructions), 1, 2, 3. select(c, x, y) is x where c is not 0,
// else y.
enum class Operation : std::uint32_t {
  constant,
  variable,
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  cbrt,
  abs,
  sign,
  step,
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  hypot,
  min,
  max,
  less,
  less_equal,
  select
};

// Operands an operation takes: 0 for leaves, else 1 to 3.
HALOCLINE_HD constexpr int arity(Operation operation) {
  if (operation <= Operation::variable) return 0;
  if (operation <= Operation::step) return 1;
  return operation <= Operation::less_equal ? 2 : 3;
}

// The one meaning of every operation: constant folding, tree evaluation and programs all call it.
// step(x) is 1 for x >= 0; sign(0) is 0; a comparison gives 1 or 0; min and max give `a` when the comparison is false.
HALOCLINE_HD inline double apply(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::negate:
      return -a;
    case Operation::sin:
      return ::sin(a);
    case Operation::cos:
      return ::cos(a);
    case Operation::tan:
      return ::tan(a);
    case Operation::asin:
      return ::asin(a);
    case Operation::acos:
      return ::acos(a);
    case Operation::atan:
      return ::atan(a);
    case Operation::sinh:
      return ::sinh(a);
    case Operation::cosh:
      return ::cosh(a);
    case Operation::tanh:
      return ::tanh(a);
    case Operation::exp:
      return ::exp(a);
    case Operation::log:
      return ::log(a);
    case Operation::log10:
      return ::log10(a);
    case Operation::sqrt:
      return ::sqrt(a);
    case Operation::cbrt:
      return ::cbrt(a);
    case Operation::abs:
      return ::fabs(a);
    case Operation::sign:
      return a > 0 ? 1.0 : (a < 0 ? -1.0 : a);
    case Operation::step:
      return a >= 0 ? 1.0 : 0.0;
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return ::pow(a, b);
    case Operation::atan2:
      return ::atan2(a, b);
    case Operation::hypot:
      return ::hypot(a, b);
    case Operation::min:
      return b < a ? b : a;
    case Operation::max:
      return a < b ? b : a;
    case Operation::less:
      return a < b ? 1.0 : 0.0;
    case Operation::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Operation::select:
      return a != 0 ? b : c;
    default:
      return 0;  // leaves have no operands
  }
}

// result = operation(a, b, c). Operands count variables first, then constants, then registers; `result` counts
// registers alone.
struct Instruction {
  Operation operation;
  std::uint32_t result, a, b, c;
};

// A program's arrays, in memory of one executor.
struct ProgramView {
  const Instruction* instructions = nullptr;
  const double* constants = nullptr;
  const std::uint32_t* results = nullptr;  // operand that holds each result
  std::uint32_t instruction_count = 0, constant_count = 0, result_count = 0, variable_count = 0, register_count = 0;
};

// Values of one variable: one per point, or a single one for all points.
struct ProgramInput {
  const double* values = nullptr;
  bool constant = false;
};

// Evaluates a program at all points: worker w handles blocks w, w + workers, ... of `width` points.
// All pointers lie in memory of the executor that runs the functor.
struct EvaluateProgram {
  static constexpr int block = 256;  // the usual width on a CPU; the largest allowed

  ProgramView program;
  const ProgramInput* inputs = nullptr;  // one per variable; a variable that the program does not use may be null
  double* const* results = nullptr;      // result_count arrays of `points` values
  double* scratch = nullptr;             // workers * register_count * width doubles, uninitialized
  Index points = 0;
  Index workers = 1;
  int width = block;

  HALOCLINE_HD void operator()(Index worker) const {
    double* registers = scratch + worker * program.register_count * width;
    for (Index first = worker * width; first < points; first += workers * width) {
      const int count = points - first < width ? static_cast<int>(points - first) : width;
      for (std::uint32_t i = 0; i < program.instruction_count; ++i)
        run(program.instructions[i], registers, first, count);
      for (std::uint32_t r = 0; r < program.result_count; ++r) store(r, registers, first, count);
    }
  }

 private:
  // A row of values, or one value for the whole row.
  struct Operand {
    const double* values;
    bool scalar;
  };

  HALOCLINE_HD Operand operand(std::uint32_t index, const double* registers, Index first) const {
    if (index < program.variable_count) {
      const ProgramInput& input = inputs[index];
      return {input.constant ? input.values : input.values + first, input.constant};
    }
    index -= program.variable_count;
    if (index < program.constant_count) return {program.constants + index, true};
    return {registers + static_cast<Index>(index - program.constant_count) * width, false};
  }

  HALOCLINE_HD void store(std::uint32_t result, const double* registers, Index first, int count) const {
    const Operand from = operand(program.results[result], registers, first);
    double* to = results[result] + first;
    for (int i = 0; i < count; ++i) to[i] = from.values[from.scalar ? 0 : i];
  }

  // Rows may coincide (a result overwrites an operand that is used up), which `omp simd` tells the compiler is safe.
  template <Operation operation>
  HALOCLINE_HD static void unary(double* to, Operand a, int count) {
    if (a.scalar) {
      const double value = apply(operation, *a.values, 0, 0);
      for (int i = 0; i < count; ++i) to[i] = value;
      return;
    }
    const double* x = a.values;
#pragma omp simd
    for (int i = 0; i < count; ++i) to[i] = apply(operation, x[i], 0, 0);
  }

  template <Operation operation>
  HALOCLINE_HD static void binary(double* to, Operand a, Operand b, int count) {
    const double *x = a.values, *y = b.values;
    if (a.scalar) {
      const double left = *x;
      if (b.scalar) {
        const double value = apply(operation, left, *y, 0);
        for (int i = 0; i < count; ++i) to[i] = value;
        return;
      }
#pragma omp simd
      for (int i = 0; i < count; ++i) to[i] = apply(operation, left, y[i], 0);
    } else if (b.scalar) {
      const double right = *y;
#pragma omp simd
      for (int i = 0; i < count; ++i) to[i] = apply(operation, x[i], right, 0);
    } else {
#pragma omp simd
      for (int i = 0; i < count; ++i) to[i] = apply(operation, x[i], y[i], 0);
    }
  }

  HALOCLINE_HD static void select(double* to, Operand a, Operand b, Operand c, int count) {
    for (int i = 0; i < count; ++i) {
      const double condition = a.values[a.scalar ? 0 : i];
      to[i] = apply(Operation::select, condition, b.values[b.scalar ? 0 : i], c.values[c.scalar ? 0 : i]);
    }
  }

  HALOCLINE_HD void run(const Instruction& instruction, double* registers, Index first, int count) const {
    double* to = registers + static_cast<Index>(instruction.result) * width;
    const Operand a = operand(instruction.a, registers, first);
    const int operands = arity(instruction.operation);
    if (operands == 1) return run_unary(instruction.operation, to, a, count);
    const Operand b = operand(instruction.b, registers, first);
    if (operands == 2) return run_binary(instruction.operation, to, a, b, count);
    select(to, a, b, operand(instruction.c, registers, first), count);
  }

  HALOCLINE_HD static void run_unary(Operation operation, double* to, Operand a, int count) {
    switch (operation) {
      case Operation::negate:
        return unary<Operation::negate>(to, a, count);
      case Operation::sin:
        return unary<Operation::sin>(to, a, count);
      case Operation::cos:
        return unary<Operation::cos>(to, a, count);
      case Operation::tan:
        return unary<Operation::tan>(to, a, count);
      case Operation::asin:
        return unary<Operation::asin>(to, a, count);
      case Operation::acos:
        return unary<Operation::acos>(to, a, count);
      case Operation::atan:
        return unary<Operation::atan>(to, a, count);
      case Operation::sinh:
        return unary<Operation::sinh>(to, a, count);
      case Operation::cosh:
        return unary<Operation::cosh>(to, a, count);
      case Operation::tanh:
        return unary<Operation::tanh>(to, a, count);
      case Operation::exp:
        return unary<Operation::exp>(to, a, count);
      case Operation::log:
        return unary<Operation::log>(to, a, count);
      case Operation::log10:
        return unary<Operation::log10>(to, a, count);
      case Operation::sqrt:
        return unary<Operation::sqrt>(to, a, count);
      case Operation::cbrt:
        return unary<Operation::cbrt>(to, a, count);
      case Operation::abs:
        return unary<Operation::abs>(to, a, count);
      case Operation::sign:
        return unary<Operation::sign>(to, a, count);
      default:
        return unary<Operation::step>(to, a, count);
    }
  }

  HALOCLINE_HD static void run_binary(Operation operation, double* to, Operand a, Operand b, int count) {
    switch (operation) {
      case Operation::add:
        return binary<Operation::add>(to, a, b, count);
      case Operation::subtract:
        return binary<Operation::subtract>(to, a, b, count);
      case Operation::multiply:
        return binary<Operation::multiply>(to, a, b, count);
      case Operation::divide:
        return binary<Operation::divide>(to, a, b, count);
      case Operation::power:
        return binary<Operation::power>(to, a, b, count);
      case Operation::atan2:
        return binary<Operation::atan2>(to, a, b, count);
      case Operation::hypot:
        return binary<Operation::hypot>(to, a, b, count);
      case Operation::min:
        return binary<Operation::min>(to, a, b, count);
      case Operation::max:
        return binary<Operation::max>(to, a, b, count);
      case Operation::less:
        return binary<Operation::less>(to, a, b, count);
      default:
        return binary<Operation::less_equal>(to, a, b, count);
    }
  }
};

}  // namespace halocline
