// OdeBackend: what advances systems on one kind of device. Compiled models, the interpreter and the tree oracle are all
// reached through it.
#pragma once

#include <memory>
#include <string>

#include "lib/problems/ode_ensemble/codegen/system.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

class OdeBackend {
 public:
  virtual ~OdeBackend() = default;
  // Advances the systems of the list (see Ensemble). Memory is the host's. Any number of threads may call at once for
  // different systems.
  virtual void advance(const Ensemble& ensemble) const = 0;
  virtual long long state_rows() const = 0;  // of Ensemble::state
  virtual std::string name() const = 0;      // for the log: "built in, 16 lanes"
};

// The models of models.hpp, compiled ahead of time. `name`: riccati, lorenz, keller_miksis or relief_valve; null for
// any other. `level`: 4 for x86-64-v4, else the program's own instruction set; no more than host_level() of any rank.
std::unique_ptr<OdeBackend> make_builtin_backend(const std::string& name, Method method, int level);

// Walks the trees of the formulas for every value: slow, the oracle of tests.
std::unique_ptr<OdeBackend> make_tree_backend(const OdeSystem& system, Method method);

}  // namespace halocline::ode_ensemble
