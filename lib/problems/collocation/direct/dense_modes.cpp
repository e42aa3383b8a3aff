#include "lib/problems/collocation/direct/dense_modes.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/linalg/dense_product.hpp"

namespace halocline::collocation {

namespace {

// Lines, or columns, of a product that needs working memory.
Index at_once(const Executor& executor) { return executor.backend() == Backend::cuda ? 512 : 128; }

using Blocks2 = Array<double, 1>[2][2];

class DenseAlong final : public AlongY {
 public:
  DenseAlong(const PencilBasis& y, const NodalBlock& block, const ExecutorPtr& executor)
      : block_(block), width_(y.width), executor_(executor), product_(executor) {
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k) {
        into_[i][k] = make_array(executor, y.into[i][k]);
        out_[i][k] = make_array(executor, y.out[i][k]);
      }
    work_ = Array<double, 1>(executor, {std::min(block.lines(), at_once(*executor)) * block.line_size()});
  }

  void analyze(Index lines, const double* f, double* modes) override { multiply(lines, f, into_, modes); }

  void synthesize(Index lines, double* modes) override {
    const Index size = block_.line_size();
    for (Index i = 0; i < lines; i += at_once(*executor_)) {
      const Index count = std::min(at_once(*executor_), lines - i);
      executor_->copy_async(work_.view().data, modes + i * size,
                            static_cast<std::size_t>(count * size) * sizeof(double), Queue::compute);
      multiply(count, work_.view().data, out_, modes + i * size);
    }
  }

 private:
  // Component qx + 2 k of `to` from components qx + 2 i of `from`.
  void multiply(Index lines, const double* from, const Blocks2& matrices, double* to) {
    const Index size = block_.line_size();
    for (int qx = 0; qx < 2; ++qx)
      for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 2; ++i)
          product_.multiply(lines, width_, block_.nodes(), from + block_.place(qx + 2 * i, 0), size,
                            matrices[i][k].view().data, width_, i == 0 ? 0 : 1, to + block_.place(qx + 2 * k, 0), size);
  }

  NodalBlock block_;
  Index width_;
  ExecutorPtr executor_;
  DenseProduct product_;
  Blocks2 into_, out_;
  Array<double, 1> work_;
};

// Numbers [mode of x][column] of component hx + 2 h divided by the sum of the eigenvalues.
struct DivideBody {
  double* numbers;
  Index rows, columns;
  const double* x;  // [2][x_stride]
  Index x_stride;
  const double* y;  // [2][y_stride], from the first column on
  Index y_stride;
  double shift;
  HALOCLINE_HD void operator()(Index component, Index row, Index column) const {
    double& value = numbers[(component * rows + row) * columns + column];
    value /= x[component % 2 * x_stride + row] + y[component / 2 * y_stride + column] + shift;
  }
};

class DenseAcross final : public AcrossByColumns {
 public:
  DenseAcross(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks, const PencilBasis& x,
              double shift, const std::vector<double>& mode_values)
      : AcrossByColumns(comm, team, blocks), n_(x.n), x_width_(x.width), shift_(shift) {
    for (int p = 0; p < team.parts(); ++p) {
      const ExecutorPtr& executor = team.executor(p);
      parts_.push_back(std::make_unique<Part>(executor));
      Part& part = *parts_.back();
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
          part.into[i][k] = make_array(executor, transposed(x.into[i][k], n_, x_width_));
          part.out[i][k] = make_array(executor, transposed(x.out[i][k], n_, x_width_));
        }
      part.x_values = make_array(executor, x.values);
      part.y_values = make_array(executor, mode_values);
      part.work = Array<double, 1>(executor, {4 * (n_ + 1) * at_once(*executor)});
    }
  }

 private:
  struct Part {
    explicit Part(const ExecutorPtr& executor) : product(executor) {}
    DenseProduct product;
    Blocks2 into, out;  // transposed
    Array<double, 1> x_values, y_values, work;
  };

  void solve_columns(int p, double* data, Index columns, Index line, Index component, Index first_mode) override {
    Part& part = *parts_[p];
    const Executor& executor = *team_->executor(p);
    const Index rows = n_ + 1, y_stride = width_;
    double* work = part.work.view().data;
    for (Index first = 0; first < columns; first += at_once(executor)) {
      const Index count = std::min(at_once(executor), columns - first);
      double* here = data + first;
      for (int h = 0; h < 2; ++h)
        for (int k = 0; k < 2; ++k)
          for (int i = 0; i < 2; ++i)
            part.product.multiply(rows, count, rows, part.into[i][k].view().data, x_width_,
                                  here + (i + 2 * h) * component, line, i == 0 ? 0 : 1,
                                  work + (k + 2 * h) * rows * count, count);
      launch(executor, "divide by eigenvalues", Range<3>{{0, 0, 0}, {4, rows, count}},
             DivideBody{work, rows, count, part.x_values.view().data, x_width_,
                        part.y_values.view().data + first_mode + first, y_stride, shift_});
      for (int h = 0; h < 2; ++h)
        for (int k = 0; k < 2; ++k)
          for (int i = 0; i < 2; ++i)
            part.product.multiply(rows, count, rows, part.out[i][k].view().data, x_width_,
                                  work + (i + 2 * h) * rows * count, count, i == 0 ? 0 : 1,
                                  here + (k + 2 * h) * component, line);
    }
  }

  Index n_, x_width_;  // of the basis along x
  double shift_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace

std::unique_ptr<AlongY> make_dense_along(const PencilBasis& y, const NodalBlock& block, const ExecutorPtr& executor) {
  return std::make_unique<DenseAlong>(y, block, executor);
}

std::unique_ptr<AcrossX> make_dense_across(const Communicator& comm, const Team& team,
                                           const std::vector<NodalBlock>& blocks, const PencilBasis& x, double shift,
                                           const std::vector<double>& mode_values) {
  return std::make_unique<DenseAcross>(comm, team, blocks, x, shift, mode_values);
}

}  // namespace halocline::collocation
