// Sampled coefficients with the even nodes of a line before the odd ones, for GPUs (see EquationView::split), and
// single coefficients in either order.
#pragma once

#include "lib/base/array.hpp"
#include "lib/problems/collocation/discretization/equation_kernels.hpp"

namespace halocline::collocation {

// Room for the even nodes of a line: whole sectors of memory.
inline Index split_of(const NodalBlock& block) { return (block.nodes() / 2 + 1 + 15) / 16 * 16; }

// The coefficients of `view`, whose nodes stand in order, rounded to To, in this order; nothing where there are none.
template <class To, class From>
Array<To, 1> split_samples(const ExecutorPtr& executor, const EquationView<From>& view);

// Coefficient k from and to values at equations in the layout of nodal_layout.hpp: `from` goes to `to`, memory laid out
// like view.sampled; view.sampled, whose nodes stand in order, to `to`. Asynchronous.
template <class T>
void set_coefficient(const Executor& executor, const EquationView<T>& view, int k, const T* from, T* to);
void get_coefficient(const Executor& executor, const EquationView<double>& view, int k, double* to);

}  // namespace halocline::collocation
