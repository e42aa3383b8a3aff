// Two tiny families that keep the house from being shaped by one steady 2D solver.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline {

const Family& stepper_family();   // two diffusing fields on a 3D box, explicit steps, slabs along z
const Family& ensemble_family();  // independent systems with integer and real state, no grid

}  // namespace halocline
