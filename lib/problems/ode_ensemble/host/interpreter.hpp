// The lane interpreter: advances systems without a compiler. The formulas run as instructions of a register machine,
// each for all lanes at once, under the same stepper as compiled models.
#pragma once

#include <memory>

#include "lib/problems/ode_ensemble/codegen/lowering.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"

namespace halocline::ode_ensemble {

// `level`: 4 for x86-64-v4, else the program's own instruction set; no more than host_level() of any rank.
// Throws DeckError when the model is too large for it: 64 states and integrals, 1024 values kept per system (with loops
// 544 and 2048), 256 per time, 512 registers. Loops are written out.
std::unique_ptr<OdeBackend> make_interpreter(const LoweredModel& model, Method method, int level);

}  // namespace halocline::ode_ensemble
