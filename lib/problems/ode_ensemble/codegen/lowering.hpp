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

// Where an operand or a result lies: arrays of the contract in ensemble.hpp, or a value of the same code.
enum class From : std::uint8_t { constant, time, state, parameter, accumulator, rate, kept, timed, value };

struct Operand {
  From from = From::constant;
  int index = 0;     // into the array; values count instructions
  double value = 0;  // of a constant
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

struct LoweringOptions {
  bool exp_log_powers = false;  // x^c as exp(c log x)
  bool linearized = false;      // for Rosenbrock methods
};

struct LoweredModel {
  int states = 0, quadratures = 0, parameters = 0, accumulators = 0, kept = 0, timed = 0;
  bool uses_time = false;            // whether rhs depends on time
  std::vector<TableShape> forcings;  // whose values, then slopes, are the first timed values
  bool inside = false;               // whether anything is recorded inside steps
  Code setup;                        // parameters to kept values
  Code at_time;                      // time and kept values to timed values
  Code rhs;
  Code linearized;    // where asked for: rhs, its derivatives by the states, row after row, then those by time
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

// Throws DeckError when the model exceeds a limit: 10 000 operations, 32 states, 64 swept names, 16 events,
// 32 accumulators.
LoweredModel lower(const OdeSystem& system, const LoweringOptions& options = {});

// Doubles at once: the meaning of Code, one line after the other. For tests and values needed once.
struct CodeInputs {
  double t = 0;
  const double *y = nullptr, *p = nullptr, *a = nullptr, *f = nullptr, *s = nullptr, *d = nullptr;
};
std::vector<double> run(const Code& code, const CodeInputs& inputs);

}  // namespace halocline::ode_ensemble
