// What the solvers on red and black lines share on the host.
#pragma once

#include <span>
#include <vector>

#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::collocation {

// Lines of every part of this rank, in pairs of a red and a black one.
std::vector<Range<1>> paired_lines(const Context& context, const Formulation& problem);

// A power of two near the largest entry of all arrays on any rank: squares of very small or large data would leave the
// range of numbers, and such a factor changes no digit. Collective.
double magnitude(const Communicator& comm, const std::vector<std::span<const double>>& arrays);

// The first `lines` lines of a block as [line][node][component].
std::vector<double> by_nodes(const NodalBlock& block, Index lines, const std::vector<double>& nodal);

}  // namespace halocline::collocation
