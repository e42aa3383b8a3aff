// Method schur for constant coefficients on a mesh that is uniform along x: the pentadiagonal lines of schur.hpp.
#pragma once

#include <optional>
#include <string>

#include "lib/problems/collocation/formulation.hpp"

namespace halocline::collocation {

// Why the method cannot solve the problem, in words that follow "method schur"; nothing when it can.
std::optional<std::string> cannot_schur(const Formulation& problem);

}  // namespace halocline::collocation
