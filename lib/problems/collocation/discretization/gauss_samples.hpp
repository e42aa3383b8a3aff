// Values of formulas at the Gauss points of a mesh, in memory of the executor that computes with them.
#pragma once

#include "lib/fields/formula_grid.hpp"
#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"

namespace halocline::collocation {

// Gauss columns of the lines of a block, [first, end), so that those of all blocks are all columns. Where x is periodic
// that of the element before a line belongs to the line before.
Range<1> columns_of(const NodalBlock& block);

// Results of a program of (x, y) at the Gauss points of a block's equations: [own line][result][component][stride] as
// nodal_layout.hpp has them, zero where there is no point. `to`: block.size() numbers per result, in memory of the
// executor, perhaps uninitialized. Asynchronous. T is double or float.
template <class T>
void sample_at_equations(const ExecutorPtr& executor, const Program& program, const Axis& x, const Axis& y,
                         const NodalBlock& block, T* to, FormulaPath path = FormulaPath::of_executor);

}  // namespace halocline::collocation
