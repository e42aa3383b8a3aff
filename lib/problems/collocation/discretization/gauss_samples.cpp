#include "lib/problems/collocation/discretization/gauss_samples.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/gauss_kernels.hpp"

namespace halocline::collocation {

namespace {

// Gauss points in the order of their places along a component: those above a node, then those below.
std::vector<double> by_place(const Axis& y) {
  std::vector<double> points;
  for (const Index q : {1, 0})
    for (Index j = 0; j <= y.elements(); ++j) {
      const Index g = y.gauss_of(j, q);
      const bool again = y.periodic() && j == y.elements();
      if (g >= 0 && !again) points.push_back(y.gauss()[g]);
    }
  return points;
}

// Of the lines of a block, column by column from that before the first line on; where there is none, the nearest.
std::vector<double> columns_around(const Axis& x, const NodalBlock& block) {
  std::vector<double> points;
  for (Index line = block.first_line; line < block.end_line; ++line)
    for (const Index q : {0, 1}) {
      const Index g = x.gauss_of(line, q);
      points.push_back(x.gauss()[g >= 0 ? g : q == 0 ? 0 : x.unknowns() - 1]);
    }
  return points;
}

}  // namespace

Range<1> columns_of(const NodalBlock& block) {
  if (block.periodic_x) return {{2 * block.first_line}, {std::min(2 * block.end_line, 2 * block.nx)}};
  return {{std::max<Index>(2 * block.first_line - 1, 0)}, {std::min(2 * block.end_line - 1, 2 * block.nx)}};
}

template <class T>
void sample_at_equations(const ExecutorPtr& executor, const Program& program, const Axis& x, const Axis& y,
                         const NodalBlock& block, T* to, FormulaPath path) {
  const FormulaGrid grid(executor, program, columns_around(x, block), by_place(y), path);
  const Index size = block.line_size(), results = grid.result_count(), ny = block.ny;
  for (int qx = 0; qx < 2; ++qx) {
    const Index first = block.first_line + (qx == 0 && block.on_x_min(block.first_line) ? 1 : 0);
    const Index end = block.end_line - (qx == 1 && block.on_x_max(block.end_line - 1) ? 1 : 0);
    if (first >= end) continue;
    T* const line = to + (first - block.first_line) * results * size;
    const FormulaGrid::Points below{2 * (first - block.first_line) + qx, end - first, 2, ny, 2 * ny};
    FormulaGrid::Points above = below;
    above.low = 0;
    above.high = ny;
    grid.evaluate<T>(above, {line + block.place(qx + 2, 0), results * size, size});
    grid.evaluate<T>(below, {line + block.place(qx, block.periodic_y ? 0 : 1), results * size, size});
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
