#include "lib/problems/collocation/multigrid/end_rounding.hpp"

#include "gpu/launch.hpp"

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
    view.reduce(view.block.first_line + i, j, a);
    view.expand(view.block.first_line + i, j, a);
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
void round_ends(const Executor& executor, const EquationView<T>& view, T* u) {
  const EndsBody<T> body{view, u};
  const NodalBlock& block = view.block;
  for (const Index j : {Index{0}, block.ny})
    if (!block.periodic_y) launch(executor, "ends along y", Range<2>{{0, j}, {block.lines(), j + 1}}, body);
  for (const Index line : {Index{0}, block.nx}) {
    const Index i = line - block.first_line;
    if (!block.periodic_x && i >= 0 && i < block.lines())
      launch(executor, "ends along x", Range<2>{{i, 0}, {i + 1, block.nodes()}}, body);
  }
}

template void round_ends(const Executor&, const EquationView<double>&, double*);
template void round_ends(const Executor&, const EquationView<float>&, float*);

}  // namespace halocline::collocation
