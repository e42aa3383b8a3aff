#include "lib/problems/ode_ensemble/host/builtin_lanes.hpp"

namespace halocline::ode_ensemble {

void advance_builtin_v4(Builtin model, Method method, const Ensemble& ensemble) {
  advance_builtin(model, method, ensemble);
}

}  // namespace halocline::ode_ensemble
