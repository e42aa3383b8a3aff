// Values that are known on all cells of a field: set as its state, or compared with it, on the devices that hold it.
#pragma once

#include "lib/fields/formula_grid.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

// The old state of all parts, own cells: `program` of the five variables at t = 0.
template <class T>
void set_to_formula(const Context& context, const UniformGrid& geometry, const Program& program, Field<T>& field,
                    FormulaPath path = FormulaPath::of_executor);

// Sum of squares over all cells of the field's old state less the solution, exact over rows (on a GPU over pieces of
// them), and the largest difference. Collective.
template <class T>
ErrorSums errors_of(const Context& context, const UniformGrid& geometry, const KnownSolution& known,
                    const Field<T>& field, FormulaPath path = FormulaPath::of_executor);

}  // namespace halocline::diffusion
