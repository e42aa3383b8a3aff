// The kernel of cuda/right_side.cu, for what launching RightSideBody does as well, only slower; the same sums in the
// same order. Where it does not apply its plan says so: other devices, shapes it has no code for, builds without CUDA.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

/// Whether set_right_side() applies.
bool plan_right_side(const Executor& executor);
/// RightSideBody on all nodes of its planes. Axis: ConstantAxis or VaryingAxis. Numbers: of precision_layout.hpp.
template <class Axis, class Numbers>
void set_right_side(const Executor& executor, const Label& label, const RightSideBody<Axis, Numbers>& body);

}  // namespace halocline::fractional
