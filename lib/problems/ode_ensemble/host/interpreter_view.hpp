// What the interpreter runs, in plain arrays and numbers. Sources compiled for one instruction set include nothing of
// the C++ library: the linker might take their copies of its templates for the whole program.
#pragma once

#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

// clang-format off
enum class Opcode : unsigned char {
  number, copy,
  add, subtract, multiply, divide,
  add_number, number_subtract, multiply_number, divide_number, number_divide,  // with a number on one side
  multiply_add, multiply_subtract, subtract_product,                           // xy + z, xy - z, z - xy
  number_product_add, number_product_subtract, subtract_number_product,        // kx + z, kx - z, z - kx
  scale_difference,                                                            // k (x - y)
  negate, sin, cos, sin2pi, cos2pi, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, log10, sqrt, cbrt, erf, erfc,
  floor, ceil, abs, sign, step, power, power_number, atan2, hypot, mod, random, min, max, less, less_equal, select
};
// clang-format on

// Arrays that operands count into; results go to registers (`value`) or to one of three arrays of results.
enum class Row : unsigned char {
  time,
  state,
  timed,
  kept,
  accumulator,
  rate,
  parameter,
  value,
  first,
  second,
  third,
  count
};

struct Slot {
  unsigned char row = 0;
  unsigned short index = 0;
};

struct InterpretedLine {
  Opcode step = Opcode::copy;
  Slot a, b, c, to;
  double number = 0;
};

struct InterpretedLines {
  const InterpretedLine *begin = nullptr, *end = nullptr;
};

struct InterpretedView {
  struct Event {
    int direction = 0;
    bool ends_phase = false, acts = false;
    InterpretedLines action, accumulate;
  };
  struct Rest {
    int event = 0, speed_state = -1;
    double below = 0;
    const bool* holds = nullptr;  // by state
    InterpretedLines speed;
  };
  struct Accumulator {
    bool keeps = false;
  };
  struct Extremum {
    int accumulator = 0, sign = 1;
  };
  int states = 0, quadratures = 0, parameters = 0, constants = 0, times = 0, events = 0, rests = 0, accumulators = 0,
      extrema = 0, outputs = 0, forcings = 0, noises = 0;
  bool uses_time = false, inside = false, noise_slopes = false;
  InterpretedLines setup, at_time, rhs, linearized, event_values, accumulator_start, accumulator_step, extremum_values,
      output_values, noise;
  const int* noise_state = nullptr;
  const Event* event = nullptr;
  const Rest* rest = nullptr;
  const Accumulator *accumulator = nullptr, *quadrature = nullptr;
  const Extremum* extremum = nullptr;
  const TableShape* forcing = nullptr;
  const int* tolerance = nullptr;  // by row, where rows share them
};

}  // namespace halocline::ode_ensemble
