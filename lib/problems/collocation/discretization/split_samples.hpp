// Sampled coefficients with the even nodes of a line before the odd ones, for GPUs; see EquationView::split.
#pragma once

#include "lib/base/array.hpp"
#include "lib/problems/collocation/discretization/equation_kernels.hpp"

namespace halocline::collocation {

// Room for the even nodes of a line: whole sectors of memory.
inline Index split_of(const NodalBlock& block) { return (block.nodes() / 2 + 1 + 15) / 16 * 16; }

// The coefficients of `view`, whose nodes stand in order, rounded to To, in this order; nothing where there are none.
template <class To, class From>
Array<To, 1> split_samples(const ExecutorPtr& executor, const EquationView<From>& view);

}  // namespace halocline::collocation
