// CompiledModel: a system's formulas as machine code of the host, made at run time and called through the entry point
// of ensemble.hpp.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/problems/ode_ensemble/codegen/lowering.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"
#include "lib/problems/ode_ensemble/jit/jit_ranks.hpp"

namespace halocline::ode_ensemble {

// What runs a deck's formulas on the host, and where it came from.
struct HostModel {
  std::unique_ptr<OdeBackend> backend;
  std::string text, compiler, flags;  // for provenance; compiler and flags are empty for the interpreter
  double seconds = 0;                 // spent on making it
  bool cached = false;
};

enum class HostCode { any, compiled, interpreted };
// Whether the interpreter that is given will do, since compiling would take longer than it saves.
using InterpreterDoes = std::function<bool(const OdeBackend& interpreter)>;

// Compiles the model for all ranks; where that is impossible the interpreter takes over, with one line in the log,
// unless the code is to be compiled: then that is a MachineError. Where any code is wanted `does` may choose the
// interpreter, the same on all ranks. Collective. Throws DeckError when the model is too
// large for what is left.
HostModel make_host_model(const Communicator& comm, Log& log, const JitOptions& options, const LoweredModel& model,
                          Method method, HostCode wanted = HostCode::any, const InterpreterDoes& does = {});

}  // namespace halocline::ode_ensemble
