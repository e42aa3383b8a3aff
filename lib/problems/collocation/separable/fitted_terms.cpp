#include "lib/problems/collocation/separable/fitted_terms.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/separable/strip_modes.hpp"

namespace halocline::collocation {

namespace {

constexpr double absent = -std::numeric_limits<double>::infinity();

// Coefficients of some lines of a part, on the host.
class Lines {
 public:
  Lines(const EquationView<double>& view, const Executor& executor, Index first, Index end)
      : view_(view), first_(first) {
    if (view.sampled == nullptr) return;
    const Index size = coefficient_count * view.block.line_size();
    values_.resize(static_cast<std::size_t>((end - first) * size));
    executor.copy_out(values_.data(), view.sampled + (first - view.block.first_line) * size,
                      values_.size() * sizeof(double));
  }
  // Of line i of the mesh, coefficient k of equation c at node j.
  double operator()(int k, Index i, int c, Index j) const {
    if (values_.empty()) return view_.constant[k];
    return values_[((i - first_) * coefficient_count + k) * view_.block.line_size() + view_.block.place(c, j)];
  }

 private:
  const EquationView<double>& view_;
  Index first_;
  std::vector<double> values_;
};

// Calls use(qx, column) for the Gauss columns of line i.
template <class Use>
void each_column(const NodalBlock& block, Index i, const Use& use) {
  if (i > 0) use(0, 2 * i - 1);
  if (i < block.nx) use(1, 2 * i);
}

class Fit {
 public:
  Fit(const Communicator& comm, const Team& team, const std::vector<const Equations<double>*>& equations, int threads)
      : comm_(comm), team_(team), equations_(equations), threads_(threads) {
    const NodalBlock& block = equations.front()->block();
    length_ = strip_length(block.nx);
    strips_ = block.nx / length_ + 1;
    columns_ = 2 * block.nx;
    rows_ = 2 * block.ny;
  }

  FittedTerms terms() {
    take_means();
    const double mean =
        std::accumulate(column_means_.begin(), column_means_.end(), 0.0) / static_cast<double>(columns_);
    for (const double q : column_means_) terms_.px.push_back(std::exp(q - mean / 2));
    for (const double q : row_means_) terms_.py.push_back(std::exp(-(q - mean / 2)));
    take_scale();
    return std::move(terms_);
  }

 private:
  // Calls work(part, strip, lines, first, end) for the strips of this rank.
  template <class Work>
  void each_strip(const Work& work) const {
    for (int p = 0; p < team_.parts(); ++p) {
      const EquationView<double>& view = equations_[p]->view();
      const NodalBlock& block = view.block;
      for (Index first = block.first_line; first < block.end_line; first += length_) {
        const Index end = std::min(first + length_, block.end_line);
        work(p, first / length_, Lines(view, *team_.executor(p), first, end), first, end);
      }
    }
  }
  void take_means() {
    column_means_.assign(static_cast<std::size_t>(columns_), absent);
    std::vector<double> sums(static_cast<std::size_t>(strips_ * rows_), absent);
    each_strip([&](int p, Index strip, const Lines& k, Index first, Index end) {
      const NodalBlock& block = equations_[p]->block();
      std::vector<double> q(static_cast<std::size_t>(2 * (end - first) * rows_), 0.0);
#pragma omp parallel for num_threads(threads_)
      for (Index i = first; i < end; ++i)
        each_column(block, i, [&](int qx, Index column) {
          double* to = q.data() + (2 * (i - first) + qx) * rows_;
          for (Index g = 0; g < rows_; ++g) {
            const int c = qx + 2 * static_cast<int>((g + 1) % 2);
            to[g] = std::log(k(0, i, c, (g + 1) / 2) / k(2, i, c, (g + 1) / 2));
          }
          column_means_[column] = std::accumulate(to, to + rows_, 0.0) / static_cast<double>(rows_);
        });
      double* sum = sums.data() + strip * rows_;
#pragma omp parallel for num_threads(threads_)
      for (Index g = 0; g < rows_; ++g) {
        sum[g] = 0;
        for (Index column = 0; column < 2 * (end - first); ++column) sum[g] += q[column * rows_ + g];
      }
    });
    comm_.max(std::span<double>(column_means_));
    comm_.max(std::span<double>(sums));
    row_means_.assign(static_cast<std::size_t>(rows_), 0.0);
    for (Index strip = 0; strip < strips_; ++strip)
      for (Index g = 0; g < rows_ && sums[strip * rows_] > absent; ++g) row_means_[g] += sums[strip * rows_ + g];
    for (double& value : row_means_) value /= static_cast<double>(columns_);
  }

  void take_scale() {
    std::vector<double> eta(static_cast<std::size_t>(columns_), absent);
    for (const Equations<double>* part : equations_)
      terms_.inverse_scale.emplace_back(static_cast<std::size_t>(part->block().size()), 0.0);
    each_strip([&](int p, Index /*strip*/, const Lines& k, Index first, Index end) {
      const NodalBlock& block = equations_[p]->block();
#pragma omp parallel for num_threads(threads_)
      for (Index i = first; i < end; ++i)
        each_column(block, i, [&](int qx, Index column) {
          double* to = terms_.inverse_scale[p].data() + (i - block.first_line) * block.line_size();
          double sum = 0;
          for (Index g = 0; g < rows_; ++g) {
            const int c = qx + 2 * static_cast<int>((g + 1) % 2);
            const Index j = (g + 1) / 2;
            const double inverse = std::sqrt(terms_.px[column] * terms_.py[g] / (k(0, i, c, j) * k(2, i, c, j)));
            to[block.place(c, j)] = inverse;
            sum += k(5, i, c, j) * inverse;
          }
          eta[column] = sum;
        });
    });
    comm_.max(std::span<double>(eta));
    terms_.eta0 =
        std::accumulate(eta.begin(), eta.end(), 0.0) / (static_cast<double>(columns_) * static_cast<double>(rows_));
  }

  const Communicator& comm_;
  const Team& team_;
  const std::vector<const Equations<double>*>& equations_;
  int threads_;
  Index length_, strips_, columns_, rows_;
  std::vector<double> column_means_, row_means_;
  FittedTerms terms_;
};

}  // namespace

FittedTerms fit_terms(const Communicator& comm, const Team& team,
                      const std::vector<const Equations<double>*>& equations, int threads) {
  return Fit(comm, team, equations, threads).terms();
}

}  // namespace halocline::collocation
