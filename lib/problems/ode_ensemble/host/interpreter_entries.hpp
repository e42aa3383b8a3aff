// The interpreter's entry points, one per instruction set. Plain types only, see interpreter_view.hpp.
#pragma once

#include "lib/problems/ode_ensemble/host/interpreter_view.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

enum class InterpreterSize { small, large, vectors };  // vectors: of models with loops, not for Rosenbrock methods

void interpret_v3(const InterpretedView& code, InterpreterSize size, Method method, const Ensemble& ensemble);
void interpret_v4(const InterpretedView& code, InterpreterSize size, Method method, const Ensemble& ensemble);

// Capacities of a class of models.
struct InterpreterLimits {
  int states, parameters, kept, timed, events, accumulators, registers;
};
constexpr InterpreterLimits limits_of(InterpreterSize size) {
  return size == InterpreterSize::small   ? InterpreterLimits{8, 8, 32, 8, 4, 8, 32}
         : size == InterpreterSize::large ? InterpreterLimits{64, 64, 1024, 256, 32, 32, 512}
                                          : InterpreterLimits{544, 64, 2048, 256, 32, 32, 512};
}

}  // namespace halocline::ode_ensemble
