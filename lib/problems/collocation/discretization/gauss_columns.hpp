// L at Gauss points of a part, with coefficients computed for a few columns of points at a time.
#pragma once

#include <optional>

#include "lib/fields/formula_grid.hpp"
#include "lib/problems/collocation/discretization/gauss_kernels.hpp"
#include "lib/problems/collocation/formulation.hpp"

namespace halocline::collocation {

class GaussColumns {
 public:
  // Gauss points (columns[n], rows[m]) of the problem's mesh, at most `step` columns at a time, in memory of the
  // executor. On host devices the coefficients have the bits of evaluate().
  GaussColumns(const ExecutorPtr& executor, const Formulation& problem, std::span<const Index> columns,
               std::span<const Index> rows, Index step, FormulaPath path);
  // For the columns with numbers from `first` on, `count` of them; good until the next call. Asynchronous.
  const GaussOperator& at(Index first, Index count);

 private:
  Array<double, 1> x_, y_, sampled_;
  std::optional<FormulaGrid> coefficients_;  // where they vary
  GaussOperator view_{};
};

// first, first + 1, ..., end - 1
std::vector<Index> numbers(Index first, Index end);

}  // namespace halocline::collocation
