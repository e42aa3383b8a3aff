#include "lib/problems/collocation/formulas/right_hand_side.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/gauss_columns.hpp"
#include "lib/problems/collocation/discretization/gauss_samples.hpp"
#include "lib/problems/collocation/discretization/side_kernels.hpp"
#include "lib/problems/collocation/formulas/check_kernels.hpp"
#include "lib/problems/collocation/formulas/column_cut.hpp"
#include "lib/problems/collocation/formulas/placed_sides.hpp"

namespace halocline::collocation {

namespace {

// The first point of a line where f is not finite, lowest in x, then in y.
GaussPoint first_not_finite(const Executor& executor, const Formulation& problem, const NodalBlock& block, Index i,
                            const double* b) {
  std::vector<double> line(static_cast<std::size_t>(block.line_size()));
  executor.copy_out(line.data(), b + i * block.line_size(), line.size() * sizeof(double));
  for (const Index q : {0, 1})
    for (Index gy = 0; gy < 2 * block.ny; ++gy) {
      const Index gx = problem.x.gauss_of(block.first_line + i, q);
      if (gx < 0) continue;
      if (!std::isfinite(line[GaussEquation(block, gx, gy).place]))
        return {problem.x.gauss()[gx], problem.y.gauss()[gy]};
    }
  throw InternalError("right_hand_side: no point of this line is bad");
}

// Those of the first and the last element among the Gauss points first .. end - 1 of an axis with so many elements.
std::vector<Index> next_to_sides(Index first, Index end, Index elements) {
  std::vector<Index> points;
  for (const Index g : {Index{0}, Index{1}, 2 * elements - 2, 2 * elements - 1})
    if (g >= first && g < end && (points.empty() || g > points.back())) points.push_back(g);
  return points;
}

// b -= L G at columns x rows of Gauss points.
void subtract_at(const ExecutorPtr& executor, const Formulation& problem, const NodalBlock& block,
                 const SidesView& sides, const std::vector<Index>& columns, const std::vector<Index>& rows, double* b,
                 FormulaPath path) {
  const auto n = static_cast<Index>(columns.size()), m = static_cast<Index>(rows.size());
  if (n == 0 || m == 0) return;
  GaussColumns points(executor, problem, columns, rows, n, path);
  const Array<Index, 1> gx = make_array(executor, columns), gy = make_array(executor, rows);
  const double bytes = static_cast<double>(n * m * (problem.constants ? 2 : 8)) * sizeof(double);
  launch(*executor, {"subtract sides", bytes}, Range<2>{{0, 0}, {n, m}},
         SubtractSides{block, sides, gx.view().data, gy.view().data, points.at(0, n), b});
}

// G is nonzero on the sides only, so it reaches the elements next to them.
void subtract_sides(const ExecutorPtr& executor, const Formulation& problem, const NodalBlock& block, double* b,
                    FormulaPath path) {
  const PlacedSides sides(executor, problem.boundary);
  const std::vector<Index> at_ends = next_to_sides(0, 2 * block.ny, block.ny);
  if (block.periodic_x) {
    std::vector<Index> all;
    for (Index line = block.first_line; line < block.end_line; ++line)
      for (const Index q : {0, 1}) all.push_back(problem.x.gauss_of(line, q));
    return subtract_at(executor, problem, block, sides.view(), all, at_ends, b, path);
  }
  const Range<1> columns = columns_of(block);
  const std::vector<Index> outer = next_to_sides(columns.lo[0], columns.hi[0], block.nx);
  subtract_at(executor, problem, block, sides.view(), outer, numbers(0, 2 * block.ny), b, path);
  const Index first = std::max<Index>(columns.lo[0], 2), end = std::min(columns.hi[0], 2 * block.nx - 2);
  if (first < end) subtract_at(executor, problem, block, sides.view(), numbers(first, end), at_ends, b, path);
}

}  // namespace

void right_hand_side(const ExecutorPtr& executor, const Formulation& problem, const NodalBlock& block, int threads,
                     double* to, std::optional<GaussPoint>& bad, FormulaPath path) {
  const ExecutorPtr worker = with_threads(executor, threads);
  sample_at_equations(worker, problem.f, problem.x, problem.y, block, to, path);
  const ColumnCut cut(*worker, path, block.lines(), block.line_size());
  const double bytes = static_cast<double>(block.size()) * sizeof(double);
  const Index line = reduce(*worker, {"check right-hand side", bytes}, Range<2>{{0, 0}, {block.lines(), cut.pieces}},
                            First::none, First{}, NotFinite{to, block.line_size(), cut.chunk});
  if (line != First::none) {
    if (!bad) bad = first_not_finite(*worker, problem, block, line, to);
    launch(*worker, {"drop what is not finite", bytes}, Range<1>{{0}, {block.size()}}, DropNotFinite{to});
  }
  if (!problem.boundary.homogeneous()) subtract_sides(worker, problem, block, to, path);
}

}  // namespace halocline::collocation
