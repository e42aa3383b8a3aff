// A state against a known solution, on the devices that hold it.
#pragma once

#include "lib/fields/formula_errors.hpp"
#include "lib/problems/diffusion/exact.hpp"

namespace halocline::diffusion {

// Sum of squares over all cells of the field less the solution, and the largest difference, see errors_against().
// Collective.
template <class T>
ErrorSums errors_of(const SlabField<T>& field, const KnownSolution& known, FormulaPath path = FormulaPath::of_executor);

}  // namespace halocline::diffusion
