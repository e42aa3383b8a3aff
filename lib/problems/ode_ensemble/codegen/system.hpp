// OdeSystem: the equations, events and accumulators of a deck as expressions, before anything is compiled.
//
// All expressions come from one Scope whose variables are, in this order: t, states, quadratures, swept names,
// accumulators, forcings (values of tables at the time t), then names that are replaced before anything is done;
// constants and definitions are its definitions. lowering.hpp turns this into code for codegen.hpp and interpreter.hpp.
#pragma once

#include <utility>
#include <vector>

#include "lib/expression/expression.hpp"
#include "lib/problems/ode_ensemble/codegen/loops.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

struct OdeSystem {
  struct Event {
    Expression crossing;
    int direction = 0;  // -1 falling, +1 rising, 0 both
    bool ends_phase = false;
    std::vector<std::pair<int, Expression>> assignments;  // state and its new value, from the state before the event
  };
  struct Rest {
    int event = 0;  // after which it may begin
    Expression speed;
    double below = 0;
    std::vector<int> hold;  // states
    Expression until;       // rises through 0 at the end
  };
  struct Accumulator {
    bool keep = false;
    Expression start;                                  // its value at the start of a phase
    Expression step;                                   // its value after an accepted step, from the one before
    std::vector<std::pair<int, Expression>> at_event;  // event and the value then; at most one per event
    int extremum = 0;  // +1, -1: a maximum, minimum that is refined inside a step; 0: not
    Expression extremum_of;
  };

  // Numbers of variables after t.
  int states = 0, quadratures = 0, parameters = 0, accumulators = 0, replaced = 0;
  std::vector<TableShape> forcings;
  std::vector<Expression> rhs;         // of states, then of quadratures (the integrands)
  std::vector<int> noise_state;        // states with noise, increasing
  std::vector<Expression> noise;       // g of each: dx = f dt + g dW
  Loops loops;                         // families of equations, whose rows of rhs are 0; see loops.hpp
  std::vector<int> tolerance;          // by row: which of Ensemble::rtol; empty: the one of the row
  std::vector<bool> keeps_quadrature;  // whether an integral goes on through all phases; empty: none does
  std::vector<Event> events;
  std::vector<Rest> rests;
  std::vector<Accumulator> accumulator;
  std::vector<Expression> outputs;  // formulas that are recorded
  bool inside = false;              // whether anything is recorded inside steps

  // Positions of variables in the scope.
  static constexpr int time = 0;
  int state(int i) const { return 1 + i; }  // states, then quadratures
  int parameter(int i) const { return 1 + states + quadratures + i; }
  int accumulator_value(int i) const { return parameter(parameters) + i; }
  int forcing(int i) const { return accumulator_value(accumulators) + i; }
  int replaced_name(int i) const { return forcing(static_cast<int>(forcings.size())) + i; }
  int variables() const { return replaced_name(replaced); }
  // The derivatives of states and quadratures, then those of forcings by time, then what loops have: variables beyond
  // those of the scope, which formulas cannot name.
  int rate(int i) const { return variables() + i; }
  int forcing_rate(int i) const { return rate(states + quadratures) + i; }
  int loop_variable(int k) const { return forcing_rate(static_cast<int>(forcings.size())) + k; }
};

// The partial derivative by time, forcings included, in the variables of the scope and the rates.
Expression derivative_by_time(const OdeSystem& system, const Expression& e);

// The derivative of `e` along the solution, dE/dt + sum dE/dy_i f_i, in the same.
Expression rate_of_change(const OdeSystem& system, const Expression& e);

// The right-hand sides, their derivatives by the states, row after row, and those by time.
std::vector<Expression> linearized(const OdeSystem& system);

// What noise is multiplied by, then the derivative of each by its state.
std::vector<Expression> noise_and_slopes(const OdeSystem& system);

// How often something must be evaluated.
enum class Stage {
  compile,  // constants only
  system,   // swept names: once per system
  time,     // t: once per time of a stage
  step      // states: at every call
};
const char* stage_name(Stage stage);  // "compile", "system", "stage", "step"
Stage stage_of(const OdeSystem& system, const Expression& e);

}  // namespace halocline::ode_ensemble
