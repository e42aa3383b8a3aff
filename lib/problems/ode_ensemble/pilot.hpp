// Pilot: how the systems are cut into parts: evenly, or by the cost of a sample of them.
#pragma once

#include <optional>
#include <vector>

#include "lib/problems/ode_ensemble/formulation.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"
#include "mpi/communicator.hpp"
#include "mpi/partition.hpp"

namespace halocline::ode_ensemble {

// Systems of every part where the plan can tell: one part, few systems, or systems that take the same steps. Nothing
// where their cost must be sampled.
std::optional<Partition> cut_evenly(Index systems, Method method, const std::vector<double>& weights);

// Of the systems whose cost is sampled, the distance.
Index sample_stride(Index systems);

// Cost of every `stride`-th system over two phases, in trial steps; the same on all ranks. Collective.
std::vector<Index> sample_costs(const Communicator& comm, const Formulation& formulation, const OdeBackend& backend,
                                int threads, Index stride);

// Trial steps of all systems, or of a full chunk of them, over all phases by those of a few, which this rank tries on
// its own; the same wherever it is done. None where they are more than a short trial tells.
std::optional<double> forecast_trials(const Formulation& formulation, const OdeBackend& backend);

// Each part has a share of the cost that goes with its weight. Costs of systems between samples are those of the sample
// before them.
Partition cut_by_cost(Index systems, Index stride, const std::vector<Index>& costs, const std::vector<double>& weights);

}  // namespace halocline::ode_ensemble
