// Trajectories of single systems: their points in time, by stepping a copy of the system.
#pragma once

#include <vector>

#include "lib/problems/ode_ensemble/formulation.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"

namespace halocline::ode_ensemble {

// Points of one system; times go on through all phases.
struct Trajectory {
  std::vector<double> t;
  std::vector<std::vector<double>> states;  // one list per state
};

// The way of `system`: every accepted step, or points `every` apart, each reached by a step of its own from the
// accepted step before, so that it has the accuracy of the method.
Trajectory follow(const Formulation& formulation, const OdeBackend& backend, Index system, double every);

}  // namespace halocline::ode_ensemble
