// One compilation for all ranks: rank 0 compiles for the lowest instruction set that any rank has, and sends the bytes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lib/base/log.hpp"
#include "lib/problems/ode_ensemble/jit/jit_host.hpp"
#include "mpi/communicator.hpp"

namespace halocline::ode_ensemble {

struct JitOptions {
  std::string compiler;  // path or name; "": the first of g++, c++, clang++
  std::string cache;     // folder of this node for compiled code; "": none
  bool chosen = true;    // by the user, who is to be warned when it cannot be used
};

// Where code comes from is said by the command line alone, which leaves it in the environment: HALOCLINE_COMPILER, and
// HALOCLINE_CACHE, a folder or none. Never by a deck, which others may have written: it starts no program and names no
// code.
JitOptions jit_options_of_environment();

struct HostModule {
  SharedObject code;
  int level = 1;  // what it was compiled for, see host_level()
  std::string text, compiler, flags;
  double seconds = 0;  // that rank 0 took
  bool cached = false;
};

// The generated text for instruction set `level`.
using TextOfLevel = std::function<std::string(int level)>;

// Collective. Nothing, and one line in the log, when there is no compiler, when it fails or when some rank cannot load
// its code; the caller then takes the interpreter. With `needed` that is a MachineError.
std::optional<HostModule> build_for_host(const Communicator& comm, Log& log, const JitOptions& options,
                                         const TextOfLevel& text_of, bool needed = false);

}  // namespace halocline::ode_ensemble
