#include "lib/problems/collocation/formulas/placed_sides.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/side_kernels.hpp"

namespace halocline::collocation {

PlacedSides::PlacedSides(const ExecutorPtr& executor, const Boundary& boundary) : view_(boundary.view()) {
  for (int side = 0; side < 4; ++side) {
    sides_[side] = make_array(executor, boundary.side(static_cast<Side>(side)));
    view_.side[side] = sides_[side].view().data;
  }
  if (boundary.conditions() != nullptr) {
    liftings_ = make_array(executor, boundary.liftings());
    view_.liftings = liftings_.view().data;
  }
}

template <class T>
void add_sides(const ExecutorPtr& executor, const Boundary& boundary, const NodalBlock& block, double factor, T* u) {
  if (boundary.homogeneous()) return;
  const PlacedSides sides(executor, boundary);
  const auto written = static_cast<double>(8 * (block.lines() + block.nodes()));  // at most, with what is read
  launch(*executor, {"add sides", 2 * written * sizeof(T)}, Range<2>{{0, 0}, {block.lines(), block.nodes()}},
         AddSides<T>{block, sides.view(), factor, u});
}
template void add_sides(const ExecutorPtr&, const Boundary&, const NodalBlock&, double, double*);
template void add_sides(const ExecutorPtr&, const Boundary&, const NodalBlock&, double, float*);

}  // namespace halocline::collocation
