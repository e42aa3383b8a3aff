// Method separable: a(x) u_xx + d(x) u_x + eta(x) u + c(y) u_yy on any mesh with any ends. Along y the closed form
// where it holds, else the pencil's dense eigenvectors; across lines banded systems in strips.
//
// 6 vectors of memory traffic besides the banded passes' 6, and with dense eigenvectors 32 n^3 operations.
#pragma once

#include <optional>
#include <string>

#include "lib/problems/collocation/separable/strip_modes.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Why a(x) u_xx + d(x) u_x + (eta(x) + value) u cannot be inverted for one of the values: "resonance: ..." when
// their inverse is larger than 1e12, rows scaled to 1. Ranks share the values; collective.
std::optional<std::string> resonance_across(const Communicator& comm, const Axis& x, const AxisOperator& terms,
                                            const std::vector<double>& values, int threads);

// The inverse alone. `c`: at the Gauss points of y. Blocks begin at multiples of strip_length(). Collective.
// Throws NumericalError at resonance, which is looked for where the operator may be indefinite.
std::unique_ptr<SeparableInverse> make_separable_inverse(const Communicator& comm, const Team& team,
                                                         const std::vector<NodalBlock>& blocks, const Axis& x,
                                                         const Axis& y, const AxisOperator& terms,
                                                         const std::vector<double>& c, int threads = 1);

// Of MethodEntry. Parts are made of whole strips.
LineCut in_strips(const Formulation& problem, const SolverOptions& options, int parts);
std::size_t separable_bytes(const Formulation& problem, Index lines, bool closed);
// Whether modes along y have a closed form, for plans: of separable; of fd, as far as a sample of columns tells where
// a / c changes along x at most.
bool separable_in_closed_form(const Formulation& problem);
bool fitted_in_closed_form(const Formulation& problem);

}  // namespace halocline::collocation
