// The size of data, by which the methods schur scale it.
#pragma once

#include <span>
#include <vector>

#include "mpi/communicator.hpp"

namespace halocline::collocation {

// A power of two near the largest entry of all arrays on any rank: squares of very small or large data would leave the
// range of numbers, and such a factor changes no digit. Collective.
double magnitude(const Communicator& comm, const std::vector<std::span<const double>>& arrays);

}  // namespace halocline::collocation
