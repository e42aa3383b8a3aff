// Family ode_ensemble: many independent systems of ordinary differential equations that differ in parameters or initial
// states, from equations, events and sweeps in a deck. See docs/ode_ensemble.md.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline {

const Family& ode_ensemble_family();

}  // namespace halocline
