#include "lib/problems/collocation/discretization/gauss_samples.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/gauss_kernels.hpp"

namespace halocline::collocation {

namespace {

// Gauss points in the order of their places along a component: those above a node, then those below.
std::vector<double> by_place(const Axis& y) {
  std::vector<double> points;
  for (std::size_t first = 0; first < 2; ++first)
    for (std::size_t g = first; g < y.gauss().size(); g += 2) points.push_back(y.gauss()[g]);
  return points;
}

}  // namespace

Range<1> columns_of(const NodalBlock& block) {
  return {{std::max<Index>(2 * block.first_line - 1, 0)}, {std::min(2 * block.end_line - 1, 2 * block.nx)}};
}

template <class T>
void sample_at_equations(const ExecutorPtr& executor, const Program& program, const Axis& x, const Axis& y,
                         const NodalBlock& block, T* to, FormulaPath path) {
  const Range<1> columns = columns_of(block);
  const FormulaGrid grid(executor, program, std::span(x.gauss()).subspan(columns.lo[0], columns.size()), by_place(y),
                         path);
  const Index size = block.line_size(), results = grid.result_count(), ny = block.ny;
  for (int qx = 0; qx < 2; ++qx) {
    const Index first = std::max<Index>(block.first_line, 1 - qx), end = std::min(block.end_line, block.nx + 1 - qx);
    if (first >= end) continue;
    T* const line = to + (first - block.first_line) * results * size;
    const FormulaGrid::Points below{2 * first - 1 + qx - columns.lo[0], end - first, 2, ny, 2 * ny};
    FormulaGrid::Points above = below;
    above.low = 0;
    above.high = ny;
    grid.evaluate<T>(above, {line + block.place(qx + 2, 0), results * size, size});
    grid.evaluate<T>(below, {line + block.place(qx, 1), results * size, size});
  }
  const Range<2> around{{0, 0}, {4 * results * block.lines(), block.stride() - ny}};
  launch(*executor, {"around samples", static_cast<double>(around.size()) * sizeof(T)}, around,
         ClearAround<T>{block, results, to});
}

template void sample_at_equations(const ExecutorPtr&, const Program&, const Axis&, const Axis&, const NodalBlock&,
                                  double*, FormulaPath);
template void sample_at_equations(const ExecutorPtr&, const Program&, const Axis&, const Axis&, const NodalBlock&,
                                  float*, FormulaPath);

}  // namespace halocline::collocation
