// The kernels of cuda/column_sweeps.cu and cuda/row_sweeps.cu, for what lib/linalg/strips does as well, only
// slower; the same sums in the same order. Where they do not apply the plan says so: other devices, shapes they have no
// code for, builds without CUDA.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/linalg/strips/contiguous_kernels.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

/// Whether sweeps with common coefficients apply: at most 64 strips, blocks of a device's shared memory.
bool plan_sweep(const Executor& executor, const strips::StripLayout& layout);
/// Lines across columns, in place; tables by strip, columns a multiple of 16.
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, double* w);
/// The same of right-hand sides in update.slot, with UpdateField::take() in place of storing.
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, const UpdateField& update);
/// Lines along x, in place; tables by row, distance of lines and memory of the last one a multiple of 2.
void sweep_rows(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                const strips::ContiguousLines& lines, double* w);

}  // namespace halocline::fractional
