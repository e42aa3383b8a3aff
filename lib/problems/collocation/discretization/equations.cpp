#include "lib/problems/collocation/discretization/equations.hpp"

#include <omp.h>

#include <algorithm>
#include <span>

#include "lib/expression/grid_program.hpp"

namespace halocline::collocation {

namespace {

constexpr Index margin = NodalBlock::margin;

Index table_stride(const Axis& axis) { return (margin + axis.elements() + 2 + 15) / 16 * 16; }

// Gauss columns of the lines of a block, [first, end).
Range<1> columns_of(const NodalBlock& block) {
  return {{std::max<Index>(2 * block.first_line - 1, 0)}, {std::min(2 * block.end_line - 1, 2 * block.nx)}};
}

// Samples columns into lines, as many lines as a thread takes at a time.
template <class T>
class Sampler {
 public:
  Sampler(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block)
      : block_(block),
        columns_(columns_of(block)),
        program_(problem.coefficients, std::span(x.gauss()).subspan(columns_.lo[0], columns_.size()), by_place(y)) {}

  // Fills the six coefficients of line i, and what lies beside them with zeros.
  void fill(Index i, T* line, GridProgram::Scratch& scratch) const {
    const Index ny = block_.ny, size = block_.line_size();
    for (int k = 0; k < coefficient_count; ++k) clear_margins(line + k * size);
    for (int qx = 0; qx < 2; ++qx) {
      const Index g = 2 * i - 1 + qx;
      T *below[coefficient_count], *above[coefficient_count];  // the Gauss points 2j - 1 and 2j of node j
      for (int k = 0; k < coefficient_count; ++k) {
        below[k] = line + k * size + block_.place(qx, 1);
        above[k] = line + k * size + block_.place(qx + 2, 0);
      }
      if (g < 0 || g >= 2 * block_.nx) {
        for (int k = 0; k < coefficient_count; ++k) {
          std::fill(below[k], below[k] + ny, T{0});
          std::fill(above[k], above[k] + ny, T{0});
        }
      } else {
        program_.evaluate(g - columns_.lo[0], 0, ny, above, scratch);
        program_.evaluate(g - columns_.lo[0], ny, 2 * ny, below, scratch);
      }
    }
  }

 private:
  // Gauss points in the order of their places along a component: those above a node, then those below.
  static std::vector<double> by_place(const Axis& y) {
    std::vector<double> points;
    for (std::size_t first = 0; first < 2; ++first)
      for (std::size_t g = first; g < y.gauss().size(); g += 2) points.push_back(y.gauss()[g]);
    return points;
  }
  void clear_margins(T* coefficient) const {
    for (int c = 0; c < 4; ++c) {
      T* component = coefficient + c * block_.stride();
      T* values = coefficient + block_.place(c, c < 2 ? 1 : 0);
      std::fill(component, values, T{0});
      std::fill(values + block_.ny, component + block_.stride(), T{0});
    }
  }

  const NodalBlock& block_;
  Range<1> columns_;
  GridProgram program_;
};

// Fills `sampled`, size() * 6 numbers on the host.
template <class T>
void sample(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block, int threads,
            T* sampled) {
  const Sampler<T> sampler(problem, x, y, block);
#pragma omp parallel num_threads(threads)
  {
    GridProgram::Scratch scratch;
#pragma omp for schedule(static)  // as in kernels, and no two threads make room for one page
    for (Index i = block.first_line; i < block.end_line; ++i)
      sampler.fill(i, sampled + (i - block.first_line) * coefficient_count * block.line_size(), scratch);
  }
}

// The same in memory of the executor; nothing where coefficients are constant.
template <class T>
Array<T, 1> sample_on(const ExecutorPtr& executor, const Formulation& problem, const Axis& x, const Axis& y,
                      const NodalBlock& block, int threads) {
  if (problem.constants) return {};
  const Index size = block.size() * coefficient_count;
  Array<T, 1> sampled(executor, {size});
  if (executor->backend() == Backend::omp) {
    sample(problem, x, y, block, threads, sampled.view().data);
  } else {
    Array<T, 1> host(make_omp_executor(threads), {size});  // in large pages
    sample(problem, x, y, block, threads, host.view().data);
    executor->copy_in(sampled.view().data, host.view().data, static_cast<std::size_t>(size) * sizeof(T));
  }
  return sampled;
}

}  // namespace

template <class T>
std::vector<T> axis_rows(const Axis& axis) {
  const Index n = axis.elements(), stride = table_stride(axis);
  std::vector<T> rows(static_cast<std::size_t>(24 * stride), T{0});
  for (Index i = 0; i <= n; ++i)
    for (int q = 0; q < 2; ++q) {
      const Index g = 2 * i - 1 + q;
      if (g < 0 || g >= 2 * n) continue;
      for (int p = 0; p < 3; ++p) {
        const auto row = axis.row(p, g);
        for (int m = 0; m < 4; ++m) rows[((q * 3 + p) * 4 + m) * stride + margin + i] = static_cast<T>(row[m]);
      }
    }
  return rows;
}

template <class T>
Equations<T>::Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
                        const ExecutorPtr& executor, int threads)
    : Equations(problem, x, y, block, executor, sample_on<T>(executor, problem, x, y, block, threads)) {}

template <class T>
Equations<T>::Equations(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block,
                        const ExecutorPtr& executor, Array<T, 1> sampled)
    : x_rows_(make_array(executor, axis_rows<T>(x))),
      y_rows_(make_array(executor, axis_rows<T>(y))),
      sampled_(std::move(sampled)) {
  view_.block = block;
  view_.x = {x_rows_.view().data, table_stride(x)};
  view_.y = {y_rows_.view().data, table_stride(y)};
  view_.sampled = sampled_.size() > 0 ? sampled_.view().data : nullptr;
  for (int k = 0; k < coefficient_count; ++k)
    view_.constant[k] = problem.constants ? static_cast<T>((*problem.constants)[k]) : T{0};
  for (const End end : {End::low, End::high})
    for (int k = 0; k < 2; ++k) {
      const int which = end == End::low ? 0 : 1;
      view_.tangent_x[which][k] = static_cast<T>(x.tangent(end)[k]);
      view_.tangent_y[which][k] = static_cast<T>(y.tangent(end)[k]);
    }
}

std::optional<CoefficientFault> check_coefficients(const Formulation& problem, const NodalBlock& block,
                                                   bool allow_indefinite, int threads) {
  const Range<1> columns = columns_of(block);
  const std::vector<double>& y = problem.y.gauss();
  const auto x = std::span(problem.x.gauss()).subspan(columns.lo[0], columns.size());
  const GridProgram program(problem.coefficients, x, y);
  std::optional<CoefficientFault> found;
  Index found_column = 0;  // the lowest one, so that the answer does not depend on threads
#pragma omp parallel num_threads(threads)
  {
    CoefficientColumn column;
    double* results[coefficient_count];
    for (int k = 0; k < coefficient_count; ++k) {
      column[k].resize(y.size());
      results[k] = column[k].data();
    }
    GridProgram::Scratch scratch;
#pragma omp for schedule(dynamic, 8)
    for (Index i = 0; i < columns.size(); ++i) {
      program.evaluate(i, 0, static_cast<Index>(y.size()), results, scratch);
      auto fault = check_coefficients(column, x[i], problem.y, allow_indefinite);
      if (!fault) continue;
#pragma omp critical(halocline_coefficients)
      if (!found || i < found_column) {
        found = std::move(fault);
        found_column = i;
      }
    }
  }
  return found;
}

template std::vector<double> axis_rows<double>(const Axis&);
template std::vector<float> axis_rows<float>(const Axis&);
template class Equations<double>;
template class Equations<float>;

}  // namespace halocline::collocation
