// Pilot: how the systems are cut into parts, from the cost of a sample of them.
#pragma once

#include <vector>

#include "lib/problems/ode_ensemble/formulation.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"
#include "mpi/communicator.hpp"

namespace halocline::ode_ensemble {

// Cost of every `stride`-th system over two phases, in trial steps; the same on all ranks. Collective.
std::vector<Index> sample_costs(const Communicator& comm, const Formulation& formulation, const OdeBackend& backend,
                                int threads, Index stride);

// Boundaries of parts: parts + 1 numbers of systems from 0 to `systems`, such that each part has a share of the cost
// that goes with its weight. Costs of systems between samples are those of the sample before them.
std::vector<Index> cut_by_cost(Index systems, Index stride, const std::vector<Index>& costs,
                               const std::vector<double>& weights);

}  // namespace halocline::ode_ensemble
