#include "lib/problems/collocation/multigrid/end_rounding.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/collocation/multigrid/transfer_layout.hpp"

namespace halocline::collocation {

namespace {

template <class T>
struct EndsBody {
  EquationView<T> view;
  T* u;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    T a[4];
    T* line = u + i * view.block.line_size();
    for (int c = 0; c < 4; ++c) a[c] = line[view.block.place(c, j)];
    const Index of_mesh = line_of_mesh(view.block, view.block.first_line + i);
    view.reduce(of_mesh, j, a);
    view.expand(of_mesh, j, a);
    for (int c = 0; c < 4; ++c) line[view.block.place(c, j)] = a[c];
  }
};

}  // namespace

bool has_tangents_to_round(const Axis& axis) {
  for (const End end : {End::low, End::high})
    if (!axis.condition(end).dirichlet() && !axis.condition(end).neumann()) return true;
  return false;
}

template <class T>
void round_ends(const Executor& executor, const EquationView<T>& view, Range<1> lines, T* u) {
  const EndsBody<T> body{view, u};
  const NodalBlock& block = view.block;
  for (const Index j : {Index{0}, block.ny})
    if (!block.periodic_y) launch(executor, "ends along y", Range<2>{{lines.lo[0], j}, {lines.hi[0], j + 1}}, body);
  for (const Index line : {Index{0}, block.nx}) {
    const Index i = line - block.first_line;
    if (!block.periodic_x && i >= lines.lo[0] && i < lines.hi[0])
      launch(executor, "ends along x", Range<2>{{i, 0}, {i + 1, block.nodes()}}, body);
  }
}

template void round_ends(const Executor&, const EquationView<double>&, Range<1>, double*);
template void round_ends(const Executor&, const EquationView<float>&, Range<1>, float*);

}  // namespace halocline::collocation
