#include "lib/problems/collocation/lines/block_lines.hpp"

#include <algorithm>

#include "gpu/launch.hpp"

namespace halocline::collocation {

template <class T>
template <class S>
BlockLines<T>::BlockLines(const EquationView<S>& view, Along along, const std::vector<Index>& lines,
                          const ExecutorPtr& executor, double most_growth)
    : executor_(executor),
      block_(view.block),
      along_(along),
      rings_(along == Along::y ? block_.periodic_y : block_.wraps_x()),
      groups_(static_cast<Index>(lines.size()) / lanes),
      nodes_(along == Along::y ? view.block.nodes() : view.block.lines()),
      lines_(make_array(executor, lines)),
      factors_(executor, {groups_ * nodes_ * numbers_of_node() * lanes}) {
  require(static_cast<Index>(lines.size()) == groups_ * lanes, "BlockLines: lines come in groups of eight");
  Array<Index, 1> singular(executor, {groups_ * lanes});
  rings_ ? factor<true, S>(view, static_cast<S>(most_growth), singular.view().data)
         : factor<false, S>(view, static_cast<S>(most_growth), singular.view().data);
  const std::vector<Index> where = singular.to_host();
  for (std::size_t n = 0; n < where.size() && !singular_; ++n)
    if (where[n] >= 0) singular_ = Singular{lines[n], where[n]};
}

template <class T>
template <bool Ring, class S>
void BlockLines<T>::factor(const EquationView<S>& view, S most_growth, Index* singular) {
  launch_lanes(*executor_, "factor lines", groups_, 1,
               FactorLinesBody<S, T, Ring>{view, along_, lines_.view().data, nodes_, factors_.view().data, singular,
                                           most_growth});
}

template <class T>
void BlockLines<T>::solve(const T* r, T* x, bool add) const {
  if (groups_ == 0) return;
  rings_ ? run<true>(r, x, add) : run<false>(r, x, add);
}

template <class T>
template <bool Ring>
void BlockLines<T>::run(const T* r, T* x, bool add) const {
  using Body = SolveNodalLinesBody<T, Ring>;
  const bool gpu = executor_->backend() == Backend::cuda;
  const Index ranges = gpu ? groups_ : std::min<Index>(executor_->threads(), groups_);
  if (scratch_.size() == 0) scratch_ = Array<T, 1>(executor_, {ranges * Body::bunch * 4 * nodes_ * lanes});
  const Index numbers = groups_ * lanes * nodes_ * (numbers_of_node() + 4 + (add ? 8 : 4));
  launch_lanes(*executor_, {"solve lines", static_cast<double>(numbers) * sizeof(T)}, ranges, 1,
               Body{factors_.view().data, lines_.view().data, r, x, block_, along_, nodes_, groups_, ranges,
                    scratch_.view().data, add});
}

std::vector<Index> lines_of_color(Index first, Index count, int color) {
  std::vector<Index> lines;
  for (Index n = 0; n < count; ++n)
    if ((first + n) % 2 == color) lines.push_back(n);
  while (lines.size() % lanes != 0) lines.push_back(-1);
  return lines;
}

template class BlockLines<double>;
template class BlockLines<float>;
template BlockLines<double>::BlockLines(const EquationView<double>&, Along, const std::vector<Index>&,
                                        const ExecutorPtr&, double);
template BlockLines<float>::BlockLines(const EquationView<float>&, Along, const std::vector<Index>&, const ExecutorPtr&,
                                       double);
template BlockLines<float>::BlockLines(const EquationView<double>&, Along, const std::vector<Index>&,
                                       const ExecutorPtr&, double);

}  // namespace halocline::collocation
