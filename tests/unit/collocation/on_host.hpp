// Copies on the host of what a part computes on its executor, for tests.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/formulas/right_hand_side.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Solver::unknowns() of a part, [line][node][component].
inline std::vector<double> unknowns_on_host(Solver& solver, int part, const ExecutorPtr& executor,
                                            const Formulation& problem) {
  const Range<1> lines = solver.lines(part);
  const NodalBlock block{lines.lo[0], lines.hi[0], problem.x.elements(), problem.y.elements()};
  Array<double, 1> there(executor, {block.size()});
  solver.unknowns(part, there.view().data);
  const std::vector<double> values = there.to_host();
  std::vector<double> unknowns;
  for (Index i = 0; i < block.lines(); ++i)
    for (Index j = 0; j < block.nodes(); ++j)
      for (int c = 0; c < 4; ++c) unknowns.push_back(values[i * block.line_size() + block.place(c, j)]);
  return unknowns;
}

// right_hand_side() made by an executor, in the layout of nodal_layout.hpp.
inline std::vector<double> right_hand_side_on_host(const ExecutorPtr& executor, const Formulation& problem,
                                                   const NodalBlock& block, std::optional<GaussPoint>& bad,
                                                   FormulaPath path = FormulaPath::of_executor) {
  Array<double, 1> b(executor, {block.size()});
  right_hand_side(executor, problem, block, executor->threads(), b.view().data, bad, path);
  return b.to_host();
}

}  // namespace halocline::collocation
