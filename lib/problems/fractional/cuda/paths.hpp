// The CUDA kernels of this folder, for what bodies of the family do as well, only slower; the same sums in the same
// order. Where one does not apply its plan says so: other devices, shapes it has no code for, builds without CUDA.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/linalg/strips/contiguous_kernels.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

/// Whether flush() applies: blocks of 4, 8 or 16 slots, as many states as shared memory holds tables of.
bool plan_flush(const Executor& executor, const FlushTables& tables);
/// FlushBody with `takes` for nodes 0 to `nodes` - 1 of the fields (flush.cu).
void flush(const Executor& executor, const Label& label, const FlushTables& tables, const Slots& slots, double* first,
           const States& states, Index nodes);

/// Whether sweeps with common coefficients apply (sweeps.cu): at most 64 strips, blocks of a device's shared memory.
bool plan_sweep(const Executor& executor, const strips::StripLayout& layout);
/// Lines across columns, in place; columns are a multiple of 16.
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, double* w);
/// The same of right-hand sides in update.slot, with UpdateField::take() in place of storing.
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                   const strips::LineField& field, const UpdateField& update);
/// Lines along x, in place.
void sweep_rows(const Executor& executor, const Label& label, const strips::CommonLine<double>& line,
                const strips::ContiguousLines& lines, double* w);

/// Whether set_right_side() applies (right_side.cu).
bool plan_right_side(const Executor& executor);
/// RightSideBody on all nodes of its part. Axis: ConstantAxis or VaryingAxis.
template <class Axis>
void set_right_side(const Executor& executor, const Label& label, const RightSideBody<Axis>& body);

}  // namespace halocline::fractional
