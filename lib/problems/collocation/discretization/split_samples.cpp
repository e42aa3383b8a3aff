#include "lib/problems/collocation/discretization/split_samples.hpp"

#include "gpu/launch.hpp"

namespace halocline::collocation {

namespace {

// Rows of one coefficient and component x nodes.
template <class From, class To>
struct SplitBody {
  const From* from;
  To* to;
  Index stride, split;
  HALOCLINE_HD void operator()(Index row, Index j) const {
    to[row * 2 * split + j % 2 * split + j / 2] = static_cast<To>(from[row * stride + NodalBlock::margin + j]);
  }
};

}  // namespace

template <class To, class From>
Array<To, 1> split_samples(const ExecutorPtr& executor, const EquationView<From>& view) {
  if (view.sampled == nullptr) return {};
  const Index split = split_of(view.block), rows = view.block.lines() * 24;
  Array<To, 1> values(executor, {rows * 2 * split});
  const double bytes = static_cast<double>(rows * view.block.nodes()) * (sizeof(From) + sizeof(To));
  launch(*executor, {"split coefficients", bytes}, Range<2>{{0, 0}, {rows, view.block.nodes()}},
         SplitBody<From, To>{view.sampled, values.view().data, view.block.stride(), split});
  return values;
}

template Array<float, 1> split_samples(const ExecutorPtr&, const EquationView<double>&);
template Array<float, 1> split_samples(const ExecutorPtr&, const EquationView<float>&);
template Array<double, 1> split_samples(const ExecutorPtr&, const EquationView<double>&);

}  // namespace halocline::collocation
