#include "lib/problems/collocation/formulas/coefficient_check.hpp"

#include <algorithm>
#include <limits>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/gauss_samples.hpp"
#include "lib/problems/collocation/formulas/check_kernels.hpp"
#include "lib/problems/collocation/formulas/column_cut.hpp"

namespace halocline::collocation {

// A device finds the column; what is wrong there is said on the host.
std::optional<CoefficientFault> check_coefficients(const ExecutorPtr& executor, const Formulation& problem,
                                                   const NodalBlock& block, bool allow_indefinite, int threads,
                                                   FormulaPath path) {
  const ExecutorPtr worker = with_threads(executor, threads);
  const Range<1> columns = columns_of(block);
  const auto x = std::span(problem.x.gauss()).subspan(columns.lo[0], columns.size());
  const auto points = static_cast<Index>(problem.y.gauss().size());
  const ColumnCut cut(*worker, path, columns.size(), points);
  const FormulaGrid grid(worker, problem.coefficients, x, problem.y.gauss(), path);
  const Index size = coefficient_count * points;
  Array<double, 1> values(worker, {cut.step * size});
  const double most = allow_indefinite ? std::numeric_limits<double>::infinity() : 0;
  for (Index first = 0; first < columns.size(); first += cut.step) {
    const Index count = std::min(cut.step, columns.size() - first);
    grid.evaluate<double>({first, count, 1, 0, points}, {values.view().data, size, points});
    const Index bad = reduce(*worker, {"check coefficients", static_cast<double>(count * size) * sizeof(double)},
                             Range<2>{{0, 0}, {count, cut.pieces}}, First::none, First{},
                             BadCoefficients{values.view().data, points, cut.chunk, most});
    if (bad == First::none) continue;
    CoefficientColumn column;
    for (int k = 0; k < coefficient_count; ++k) {
      column[k].resize(static_cast<std::size_t>(points));
      worker->copy_out(column[k].data(), values.view().data + bad * size + k * points, points * sizeof(double));
    }
    return check_coefficients(column, x[first + bad], problem.y, allow_indefinite);
  }
  return std::nullopt;
}

}  // namespace halocline::collocation
