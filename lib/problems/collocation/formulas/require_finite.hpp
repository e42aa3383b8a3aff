// What happens where f is not finite.
#pragma once

#include <optional>

#include "lib/problems/collocation/formulation.hpp"
#include "mpi/communicator.hpp"

namespace halocline::collocation {

struct GaussPoint {
  double x, y;
};

// Throws DeckError on every rank when `bad` is set on any. Collective.
void require_finite(const Communicator& comm, const Formulation& problem, const std::optional<GaussPoint>& bad);

}  // namespace halocline::collocation
