// LoweredModel: the system's expressions cut into straight-line code, each part run as rarely as its inputs allow.
//
// Passes on the graph: factors of products are regrouped so that everything known earlier becomes one factor; several
// divisions by one value become one reciprocal; a b + a c becomes a (b + c); sin and cos of 2 pi x are taken in turns;
// x^c becomes exp(c log x) when asked for. Then values that depend on swept names only are kept per system (array s),
// those of time per stage (array d). The code has no names of the deck: values are numbered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/problems/ode_ensemble/codegen/system.hpp"

namespace halocline::ode_ensemble {

// Where an operand or a result lies: arrays of the contract in ensemble.hpp, or a value of the same code. In loops
// also: an element of a vector, the kept value of an iteration (`index` that of the first), the number value +
// iteration, a sum.
enum class From : std::uint8_t {
  constant,
  time,
  state,
  parameter,
  accumulator,
  rate,
  kept,
  timed,
  value,
  element,
  table,
  counter,
  sum
};

struct Operand {
  From from = From::constant;
  int index = 0;       // into the array; values count instructions, sums loops
  double value = 0;    // of a constant
  bool inner = false;  // table, counter: of a sum's iterations
};

struct CodeLine {
  Operation operation = Operation::negate;
  bool turns = false;  // sin and cos: the argument counts full turns
  Operand a, b, c;
};

// One function of the model: instructions in order, and where result number i is found.
struct Code {
  std::vector<CodeLine> lines;
  std::vector<Operand> results;
};

// A function with loops, see loops.hpp: lines and loops in the order of execution.
struct LoopedCode {
  struct Item {
    bool loop = false;
    int index = 0;  // into lines or loops
  };
  struct Loop {
    bool inner = false;  // a sum: its results add up; else result n goes to row first + n
    int count = 0, first = 0;
    std::vector<Item> items;
    Operand result;
  };
  // As Loops::Element; values beyond are results of lines outside all loops.
  struct Element {
    int first = 0, count = 0;
    bool wraps = false;
    LoopNumber number;
    std::vector<std::pair<int, Operand>> beyond = {};
  };
  std::vector<CodeLine> lines;
  std::vector<Loop> loops;
  std::vector<Element> elements;
  std::vector<Item> items;
  std::vector<std::pair<int, Operand>> rows;  // results outside loops
};

struct LoweringOptions {
  bool exp_log_powers = false;  // x^c as exp(c log x)
  bool linearized = false;      // for Rosenbrock methods
  bool noise_slopes = false;    // for milstein
};

struct LoweredModel {
  int states = 0, quadratures = 0, parameters = 0, accumulators = 0, kept = 0, timed = 0;
  bool uses_time = false;            // whether rhs depends on time
  std::vector<TableShape> forcings;  // whose values, then slopes, are the first timed values
  bool inside = false;               // whether anything is recorded inside steps
  bool loops = false;
  Code setup;                           // parameters to kept values
  Code at_time;                         // time and kept values to timed values
  Code rhs;                             // empty where there are loops
  LoopedCode looped_setup, looped_rhs;  // the rest of kept values, for iterations, from the others; rhs
  std::vector<int> tolerance;           // as OdeSystem has it
  Code linearized;  // where asked for: rhs, its derivatives by the states, row after row, then those by time
  std::vector<int> noise_state;
  Code noise;         // by states with noise; where asked for, then their derivatives by these
  Code event_values;  // values of events, of the untils of rests, then their slopes
  Code accumulator_start, accumulator_step, extremum_values;  // the latter: values, then slopes
  Code outputs;

  struct Event {
    int direction = 0;
    bool ends_phase = false;
    std::vector<int> assigned;     // states
    Code action;                   // their values
    std::vector<int> accumulated;  // accumulators
    Code accumulate;               // their values
  };
  struct Rest {
    int event = 0, speed_state = -1;
    double below = 0;
    std::vector<int> hold;
    Code speed;  // speed and its slope
  };
  struct Extremum {
    int accumulator = 0, sign = 1;
  };
  std::vector<Event> events;
  std::vector<Rest> rests;
  std::vector<bool> keeps, keeps_quadrature;  // of accumulators, of quadratures
  std::vector<Extremum> extrema;
};

// Throws DeckError when the model exceeds a limit: 10 000 operations, 32 states, with loops 512, 64 swept names,
// 16 events, 32 accumulators.
LoweredModel lower(const OdeSystem& system, const LoweringOptions& options = {});

// Right-hand sides, and all kept values, without loops.
Code flattened_rhs(const LoweredModel& model);
Code flattened_setup(const LoweredModel& model);

// Doubles at once: the meaning of Code, one line after the other. For tests and values needed once.
struct CodeInputs {
  double t = 0;
  const double *y = nullptr, *p = nullptr, *a = nullptr, *f = nullptr, *s = nullptr, *d = nullptr;
};
std::vector<double> run(const Code& code, const CodeInputs& inputs);

}  // namespace halocline::ode_ensemble
