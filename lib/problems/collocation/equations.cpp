#include "lib/problems/collocation/equations.hpp"

#include <omp.h>

#include <algorithm>
#include <memory>

namespace halocline::collocation {

namespace {

constexpr Index margin = NodalBlock::margin;

Index table_stride(const Axis& axis) { return (margin + axis.elements() + 2 + 15) / 16 * 16; }

// Gauss columns of the equations of line i, and their components' place in x: calls use(qx, g).
template <class Use>
void each_column(const NodalBlock& block, Index i, const Use& use) {
  if (i > 0) use(0, 2 * i - 1);
  if (i < block.nx) use(1, 2 * i);
}

// Fills `sampled`, size() * 6 numbers on the host.
template <class T>
void sample(const Formulation& problem, const Axis& x, const Axis& y, const NodalBlock& block, int threads,
            T* sampled) {
  const Index line_size = block.line_size();
#pragma omp parallel num_threads(threads)
  {
    CoefficientColumn column;
#pragma omp for schedule(dynamic, 4)
    for (Index i = block.first_line; i < block.end_line; ++i) {
      T* line = sampled + (i - block.first_line) * coefficient_count * line_size;
      std::fill(line, line + coefficient_count * line_size, T{0});
      each_column(block, i, [&](int qx, Index g) {
        evaluate_coefficients(problem, x.gauss()[g], y, column);
        for (int k = 0; k < coefficient_count; ++k) {
          T *low = line + k * line_size + block.place(qx, 0), *high = line + k * line_size + block.place(qx + 2, 0);
          const double* values = column[k].data();
          for (Index j = 0; j < block.ny; ++j) {
            high[j] = static_cast<T>(values[2 * j]);
            low[j + 1] = static_cast<T>(values[2 * j + 1]);
          }
        }
      });
    }
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
    const std::unique_ptr<T[]> host(new T[static_cast<std::size_t>(size)]);
    sample(problem, x, y, block, threads, host.get());
    executor->copy_in(sampled.view().data, host.get(), static_cast<std::size_t>(size) * sizeof(T));
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
  view_.sampled = problem.constants ? nullptr : sampled_.view().data;
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
  std::optional<CoefficientFault> found;
  Index found_column = 0;  // the lowest one, so that the answer does not depend on threads
#pragma omp parallel num_threads(threads)
  {
    CoefficientColumn column;
#pragma omp for schedule(dynamic, 4)
    for (Index i = block.first_line; i < block.end_line; ++i)
      each_column(block, i, [&](int, Index g) {
        const double at = problem.x.gauss()[g];
        evaluate_coefficients(problem, at, problem.y, column);
        auto fault = check_coefficients(column, at, problem.y, allow_indefinite);
        if (!fault) return;
#pragma omp critical(halocline_coefficients)
        if (!found || g < found_column) {
          found = std::move(fault);
          found_column = g;
        }
      });
  }
  return found;
}

template std::vector<double> axis_rows<double>(const Axis&);
template std::vector<float> axis_rows<float>(const Axis&);
template class Equations<double>;
template class Equations<float>;

}  // namespace halocline::collocation
