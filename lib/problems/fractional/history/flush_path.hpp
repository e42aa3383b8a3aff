// The kernel of cuda/flush.cu, for what FlushBody does as well, only slower; the same sums in the same order. Where it
// does not apply its plan says so: other devices, shapes it has no code for, builds without CUDA.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"

namespace halocline::fractional {

/// Whether flush() applies: blocks of 4, 8 or 16 slots, as many states as shared memory holds tables of.
bool plan_flush(const Executor& executor, const FlushTables& tables);
/// FlushBody with `takes` for nodes 0 to `nodes` - 1 of the fields, an even number; fields begin at multiples of 16
/// bytes.
void flush(const Executor& executor, const Label& label, const FlushTables& tables, const Slots& slots, double* first,
           const States& states, Index nodes);

}  // namespace halocline::fractional
