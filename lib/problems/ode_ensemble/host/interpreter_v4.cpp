#include "lib/problems/ode_ensemble/host/interpreter_lanes.hpp"

namespace halocline::ode_ensemble {

void interpret_v4(const InterpretedView& code, InterpreterSize size, Method method, const Ensemble& ensemble) {
  interpret(code, size, method, ensemble);
}

}  // namespace halocline::ode_ensemble
