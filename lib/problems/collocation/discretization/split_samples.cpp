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

// Rows (own line, component) x nodes.
template <class T>
struct SetCoefficient {
  EquationView<T> view;
  int k;
  const T* from;
  T* to;
  HALOCLINE_HD void operator()(Index row, Index j) const {
    const Index line = row / 4, c = row % 4;
    to[(6 * line + k) * 4 * view.sample_width() + c * view.sample_width() + view.sample_slot(j)] =
        from[row * view.block.stride() + NodalBlock::margin + j];
  }
};
struct GetCoefficient {
  const double* from;
  double* to;
  Index size;  // of a line
  int k;
  HALOCLINE_HD void operator()(Index line, Index n) const { to[line * size + n] = from[(6 * line + k) * size + n]; }
};

double bytes_of_coefficient(const NodalBlock& block, std::size_t number) {
  return static_cast<double>(2 * block.size()) * static_cast<double>(number);
}

}  // namespace

template <class T>
void set_coefficient(const Executor& executor, const EquationView<T>& view, int k, const T* from, T* to) {
  launch(executor, {"set coefficient", bytes_of_coefficient(view.block, sizeof(T))},
         Range<2>{{0, 0}, {4 * view.block.lines(), view.block.nodes()}}, SetCoefficient<T>{view, k, from, to});
}

void get_coefficient(const Executor& executor, const EquationView<double>& view, int k, double* to) {
  require(view.sampled != nullptr && view.split == 0, "get_coefficient: samples in the order of nodes");
  launch(executor, {"get coefficient", bytes_of_coefficient(view.block, sizeof(double))},
         Range<2>{{0, 0}, {view.block.lines(), view.block.line_size()}},
         GetCoefficient{view.sampled, to, view.block.line_size(), k});
}

template void set_coefficient(const Executor&, const EquationView<double>&, int, const double*, double*);
template void set_coefficient(const Executor&, const EquationView<float>&, int, const float*, float*);

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
