// The built-in models' entry points, one per instruction set. Builtin types only.
#pragma once

#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

enum class Builtin : int { riccati, lorenz, keller_miksis, relief_valve };

void advance_builtin_v3(Builtin model, Method method, const Ensemble& ensemble);  // or the compiler's default
void advance_builtin_v4(Builtin model, Method method, const Ensemble& ensemble);  // x86-64-v4
long long builtin_state_rows(Builtin model);

}  // namespace halocline::ode_ensemble
