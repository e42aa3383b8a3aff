// Conjugate gradients with one wait for sums an iteration, for make_cg() and make_flexible_cg().
#pragma once

#include "lib/krylov/krylov.hpp"

namespace halocline {

// Flexible: the part of a direction along the last one is computed, not taken from the method's theory.
template <class T>
std::unique_ptr<KrylovSolver<T>> make_fused_cg(VectorSpacePtr space, const KrylovOptions& options, bool flexible);

}  // namespace halocline
