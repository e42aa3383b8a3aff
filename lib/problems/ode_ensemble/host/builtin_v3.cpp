#include "lib/problems/ode_ensemble/host/builtin_lanes.hpp"

namespace halocline::ode_ensemble {

void advance_builtin_v3(Builtin model, Method method, const Ensemble& ensemble) {
  advance_builtin(model, method, ensemble);
}

long long builtin_state_rows(Builtin model) {
  switch (model) {
    case Builtin::riccati:
      return state_rows(Riccati{});
    case Builtin::lorenz:
      return state_rows(Lorenz{});
    case Builtin::keller_miksis:
      return state_rows(KellerMiksis{});
    case Builtin::relief_valve:
      return state_rows(ReliefValve{});
  }
  return 0;
}

}  // namespace halocline::ode_ensemble
