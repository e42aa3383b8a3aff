#include "lib/problems/ode_ensemble/host/interpreter_lanes.hpp"

namespace halocline {

void interpret_v4(const InterpretedView& code, InterpreterSize size, ode_ensemble::Method method,
                  const ode_ensemble::Ensemble& ensemble) {
  ode_ensemble::interpret(code, size, method, ensemble);
}

}  // namespace halocline
