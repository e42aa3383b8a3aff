// The kernel of cuda/flush.cu, for what FlushBody does as well, only slower; the same sums in the same order. Where it
// does not apply its plan says so: other devices, shapes it has no code for, builds without CUDA.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"

namespace halocline::fractional {

/// Whether flush<T>() applies: blocks of 4, 8 or 16 slots, as many states as shared memory holds tables of. T: what
/// fields are kept in, double, float or Half.
template <class T>
bool plan_flush(const Executor& executor, int terms, int width);
/// FlushBody with `takes` for nodes of the fields, stretches of multiples of 4 at multiples of 4; fields begin at
/// multiples of 16 bytes.
template <class T>
void flush(const Executor& executor, const Label& label, const FlushTablesOf<Computed<T>>& tables,
           const SlotsOf<T>& slots, const FirstOf<T>& first, const StatesOf<T>& states, const NodeStretches& nodes);

}  // namespace halocline::fractional
