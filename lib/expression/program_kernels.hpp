// Operations of formulas, and the functor that runs a flat program over blocks of points on any executor.
//
// A register is a row of up to `width` doubles in scratch memory; every instruction is one plain loop over the row,
// which compilers vectorize. A point's result does not depend on its block: every operation works element by element.
// Memory traffic: inputs once, results once, registers stay in cache (2 KiB each at width 256).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "lib/base/fma.hpp"
#include "lib/base/types.hpp"
#include "lib/expression/raster_kernels.hpp"

namespace halocline {

// clang-format off
// Ordered by the number of operands: 0 (leaves, never instructions), 1, 2, 3.
// select(c, x, y) is x where c is not 0, else y; look(x, y, z) is the value of a raster, which the step names.
enum class Operation : std::uint32_t {
  constant, variable,
  negate, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, log10, sqrt, cbrt, erf, erfc, floor, ceil, abs, sign,
  step,
  add, subtract, multiply, divide, power, atan2, hypot, mod, random, min, max, less, less_equal,
  select, look
};
// clang-format on

// Operands an operation takes: 0 for leaves, else 1 to 3.
HALOCLINE_HD constexpr int arity(Operation operation) {
  if (operation <= Operation::variable) return 0;
  if (operation <= Operation::step) return 1;
  return operation <= Operation::less_equal ? 2 : 3;
}

// a - b floor(a/b), in [0, b) for b > 0 and in (b, 0] for b < 0. The quotient may be rounded to the whole number beside
// the right one, which is mended; by the fused multiply-add, where processors have it, the result is exact.
HALOCLINE_HD inline double modulus(double a, double b) {
  const double rest = fma(-b, ::floor(a / b), a);
  const double mended = (rest < 0) != (b < 0) && rest != 0 ? rest + b : rest;
  return ::fabs(mended) >= ::fabs(b) ? mended - b : mended;
}

// A number in [0, 1), the same wherever a and b are the same, and as good as drawn where either differs: the upper 53
// bits of the generator Philox2x64-10 with the bits of a and b for its counter and 0 for its key. Salmon, Moraes, Dror,
// Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11.
HALOCLINE_HD inline double drawn_number(double a, double b) {
  std::uint64_t left, right, key = 0;
  a += 0.0, b += 0.0;  // -0 is 0
  ::memcpy(&left, &a, sizeof left);
  ::memcpy(&right, &b, sizeof right);
  for (int round = 0; round < 10; ++round, key += 0x9E3779B97F4A7C15) {
    constexpr std::uint64_t factor = 0xD2B74407B1CE6E93;
#if defined(__CUDA_ARCH__)
    const std::uint64_t high = __umul64hi(factor, left);
#else
    const auto high = static_cast<std::uint64_t>(static_cast<unsigned __int128>(factor) * left >> 64);
#endif
    const std::uint64_t low = factor * left;
    left = high ^ key ^ right;
    right = low;
  }
  return static_cast<double>(left >> 11) * 0x1p-53;
}

// The one meaning of every operation: constant folding, tree evaluation and programs all come here.
// step(x) is 1 for x >= 0; sign(0) is 0; a comparison gives 1 or 0; min and max give `a` when the comparison is false.
// clang-format off
template <Operation operation>
HALOCLINE_HD inline double apply(double a, [[maybe_unused]] double b, [[maybe_unused]] double c) {
  static_assert(arity(operation) > 0);
  if constexpr (operation == Operation::negate) return -a;
  else if constexpr (operation == Operation::sin) return ::sin(a);
  else if constexpr (operation == Operation::cos) return ::cos(a);
  else if constexpr (operation == Operation::tan) return ::tan(a);
  else if constexpr (operation == Operation::asin) return ::asin(a);
  else if constexpr (operation == Operation::acos) return ::acos(a);
  else if constexpr (operation == Operation::atan) return ::atan(a);
  else if constexpr (operation == Operation::sinh) return ::sinh(a);
  else if constexpr (operation == Operation::cosh) return ::cosh(a);
  else if constexpr (operation == Operation::tanh) return ::tanh(a);
  else if constexpr (operation == Operation::exp) return ::exp(a);
  else if constexpr (operation == Operation::log) return ::log(a);
  else if constexpr (operation == Operation::log10) return ::log10(a);
  else if constexpr (operation == Operation::sqrt) return ::sqrt(a);
  else if constexpr (operation == Operation::cbrt) return ::cbrt(a);
  else if constexpr (operation == Operation::erf) return ::erf(a);
  else if constexpr (operation == Operation::erfc) return ::erfc(a);
  else if constexpr (operation == Operation::floor) return ::floor(a);
  else if constexpr (operation == Operation::ceil) return ::ceil(a);
  else if constexpr (operation == Operation::abs) return ::fabs(a);
  else if constexpr (operation == Operation::sign) return a > 0 ? 1.0 : (a < 0 ? -1.0 : a);
  else if constexpr (operation == Operation::step) return a >= 0 ? 1.0 : 0.0;
  else if constexpr (operation == Operation::add) return a + b;
  else if constexpr (operation == Operation::subtract) return a - b;
  else if constexpr (operation == Operation::multiply) return a * b;
  else if constexpr (operation == Operation::divide) return a / b;
  else if constexpr (operation == Operation::power) return ::pow(a, b);
  else if constexpr (operation == Operation::atan2) return ::atan2(a, b);
  else if constexpr (operation == Operation::hypot) return ::hypot(a, b);
  else if constexpr (operation == Operation::mod) return modulus(a, b);
  else if constexpr (operation == Operation::random) return drawn_number(a, b);
  else if constexpr (operation == Operation::min) return b < a ? b : a;
  else if constexpr (operation == Operation::max) return a < b ? b : a;
  else if constexpr (operation == Operation::less) return a < b ? 1.0 : 0.0;
  else if constexpr (operation == Operation::less_equal) return a <= b ? 1.0 : 0.0;
  else return a != 0 ? b : c;
}

// Calls action.run<operation>(); leaves are not operations, and what is looked up needs its raster.
template <class Action>
HALOCLINE_HD inline void dispatch(Operation operation, Action& action) {
  switch (operation) {
    case Operation::constant: case Operation::variable: case Operation::look: return;
    case Operation::negate: return action.template run<Operation::negate>();
    case Operation::sin: return action.template run<Operation::sin>();
    case Operation::cos: return action.template run<Operation::cos>();
    case Operation::tan: return action.template run<Operation::tan>();
    case Operation::asin: return action.template run<Operation::asin>();
    case Operation::acos: return action.template run<Operation::acos>();
    case Operation::atan: return action.template run<Operation::atan>();
    case Operation::sinh: return action.template run<Operation::sinh>();
    case Operation::cosh: return action.template run<Operation::cosh>();
    case Operation::tanh: return action.template run<Operation::tanh>();
    case Operation::exp: return action.template run<Operation::exp>();
    case Operation::log: return action.template run<Operation::log>();
    case Operation::log10: return action.template run<Operation::log10>();
    case Operation::sqrt: return action.template run<Operation::sqrt>();
    case Operation::cbrt: return action.template run<Operation::cbrt>();
    case Operation::erf: return action.template run<Operation::erf>();
    case Operation::erfc: return action.template run<Operation::erfc>();
    case Operation::floor: return action.template run<Operation::floor>();
    case Operation::ceil: return action.template run<Operation::ceil>();
    case Operation::abs: return action.template run<Operation::abs>();
    case Operation::sign: return action.template run<Operation::sign>();
    case Operation::step: return action.template run<Operation::step>();
    case Operation::add: return action.template run<Operation::add>();
    case Operation::subtract: return action.template run<Operation::subtract>();
    case Operation::multiply: return action.template run<Operation::multiply>();
    case Operation::divide: return action.template run<Operation::divide>();
    case Operation::power: return action.template run<Operation::power>();
    case Operation::atan2: return action.template run<Operation::atan2>();
    case Operation::hypot: return action.template run<Operation::hypot>();
    case Operation::mod: return action.template run<Operation::mod>();
    case Operation::random: return action.template run<Operation::random>();
    case Operation::min: return action.template run<Operation::min>();
    case Operation::max: return action.template run<Operation::max>();
    case Operation::less: return action.template run<Operation::less>();
    case Operation::less_equal: return action.template run<Operation::less_equal>();
    case Operation::select: return action.template run<Operation::select>();
  }
}
// clang-format on

// One operation on numbers; 0 for leaves and what is looked up.
struct ApplyToNumbers {
  double a, b, c;
  double result = 0;
  template <Operation operation>
  HALOCLINE_HD void run() {
    result = apply<operation>(a, b, c);
  }
};
HALOCLINE_HD inline double apply(Operation operation, double a, double b, double c) {
  ApplyToNumbers action{a, b, c};
  dispatch(operation, action);
  return action.result;
}

// A row of values, or one value for the whole row.
struct ProgramRow {
  const double* values = nullptr;
  bool single = false;
};

// One operation on rows of `count` values. Rows may coincide (a result overwrites an operand that is used up), which
// `omp simd` tells the compiler is safe.
struct ApplyToRows {
  double* to;
  ProgramRow a, b, c;
  int count;

  template <Operation operation>
  HALOCLINE_HD void run() {
    if constexpr (arity(operation) == 1) unary<operation>();
    if constexpr (arity(operation) == 2) binary<operation>();
    if constexpr (arity(operation) == 3) ternary<operation>();
  }

 private:
  HALOCLINE_HD void fill(double value) {
    for (int i = 0; i < count; ++i) to[i] = value;
  }
  template <Operation operation>
  HALOCLINE_HD void unary() {
    const double* x = a.values;
    if (a.single) return fill(apply<operation>(*x, 0, 0));
#pragma omp simd
    for (int i = 0; i < count; ++i) to[i] = apply<operation>(x[i], 0, 0);
  }
  template <Operation operation>
  HALOCLINE_HD void binary() {
    const double *x = a.values, *y = b.values;
    if (a.single && b.single) return fill(apply<operation>(*x, *y, 0));
    if (a.single) {
      const double left = *x;
#pragma omp simd
      for (int i = 0; i < count; ++i) to[i] = apply<operation>(left, y[i], 0);
    } else if (b.single) {
      const double right = *y;
#pragma omp simd
      for (int i = 0; i < count; ++i) to[i] = apply<operation>(x[i], right, 0);
    } else {
#pragma omp simd
      for (int i = 0; i < count; ++i) to[i] = apply<operation>(x[i], y[i], 0);
    }
  }
  template <Operation operation>
  HALOCLINE_HD void ternary() {
    const int step_a = a.single ? 0 : 1, step_b = b.single ? 0 : 1, step_c = c.single ? 0 : 1;
    for (int i = 0; i < count; ++i) {
      to[i] = apply<operation>(a.values[i * step_a], b.values[i * step_b], c.values[i * step_c]);
    }
  }
};

// Values of a raster at places of rows. Not part of the loops around it, which are tuned without.
[[gnu::noinline]] HALOCLINE_HD inline void look_up(const RasterView& raster, const ApplyToRows& rows) {
  const int step_a = rows.a.single ? 0 : 1, step_b = rows.b.single ? 0 : 1, step_c = rows.c.single ? 0 : 1;
  for (int i = 0; i < rows.count; ++i)
    rows.to[i] = raster.look(rows.a.values[i * step_a], rows.b.values[i * step_b], rows.c.values[i * step_c]);
}

// result = operation(a, b, c). Operands count variables first, then constants, then registers; `result` counts
// registers alone.
struct Instruction {
  Operation operation;
  std::uint32_t result, a, b, c;
  std::uint32_t raster = 0;  // of Operation::look
};

// A program's arrays, in memory of one executor.
struct ProgramView {
  const Instruction* instructions = nullptr;
  const double* constants = nullptr;
  const std::uint32_t* results = nullptr;  // operand that holds each result
  std::uint32_t instruction_count = 0, constant_count = 0, result_count = 0, variable_count = 0, register_count = 0;
  const RasterView* rasters = nullptr;  // in memory of the host, with their values; devices other than it have none
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
      for (std::uint32_t i = 0; i < program.instruction_count; ++i) {
        run(program.instructions[i], registers, first, count);
      }
      for (std::uint32_t r = 0; r < program.result_count; ++r) store(r, registers, first, count);
    }
  }

 private:
  HALOCLINE_HD ProgramRow operand(std::uint32_t index, const double* registers, Index first) const {
    if (index < program.variable_count) {
      const ProgramInput& input = inputs[index];
      return {input.constant ? input.values : input.values + first, input.constant};
    }
    index -= program.variable_count;
    if (index < program.constant_count) return {program.constants + index, true};
    return {registers + static_cast<Index>(index - program.constant_count) * width, false};
  }

  HALOCLINE_HD void run(const Instruction& instruction, double* registers, Index first, int count) const {
    const int operands = arity(instruction.operation);
    ApplyToRows action{registers + static_cast<Index>(instruction.result) * width,
                       operand(instruction.a, registers, first),
                       {},
                       {},
                       count};
    if (operands > 1) action.b = operand(instruction.b, registers, first);
    if (operands > 2) action.c = operand(instruction.c, registers, first);
    if (instruction.operation == Operation::look) return look_up(program.rasters[instruction.raster], action);
    dispatch(instruction.operation, action);
  }

  HALOCLINE_HD void store(std::uint32_t result, const double* registers, Index first, int count) const {
    const ProgramRow from = operand(program.results[result], registers, first);
    double* to = results[result] + first;
    const int step = from.single ? 0 : 1;
    for (int i = 0; i < count; ++i) to[i] = from.values[i * step];
  }
};

}  // namespace halocline
