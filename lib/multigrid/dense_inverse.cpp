#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "gpu/launch.hpp"
#include "lib/linalg/elimination.hpp"
#include "lib/multigrid/coarsest.hpp"
#include "lib/multigrid/inverse_kernels.hpp"

namespace halocline::multigrid {

namespace {

constexpr Index least_eliminated = 64;   // fewer equations are too few for a GPU
constexpr Index most_eliminated = 2048;  // more would need much memory beside what a run has planned

// Of the host while its devices wait: those that host devices have, all for GPUs.
int host_threads(const Team& team) {
  int threads = 1;
  for (int p = 0; p < team.parts(); ++p) {
    const Executor& executor = *team.executor(p);
    threads = std::max(threads, executor.backend() == Backend::cuda ? omp_get_max_threads() : executor.threads());
  }
  return threads;
}

// On a GPU, if that is allowed and likely to be faster than on its host.
std::vector<double> invert_on(const Team& team, InverseBy by, Index n, std::vector<double> matrix) {
  const ExecutorPtr& first = team.executor(0);
  if (by == InverseBy::device && first->backend() == Backend::cuda && n >= least_eliminated && n <= most_eliminated)
    if (auto inverse = invert_by_elimination(first, n, matrix)) return *std::move(inverse);
  return invert(n, std::move(matrix), host_threads(team));
}

double largest_entry(const std::vector<double>& matrix) {
  double largest = 0;
  for (const double value : matrix)
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : std::numeric_limits<double>::infinity();
  return largest;
}

std::vector<double> invert_or_pseudo_invert(const Team& team, InverseBy by, Index n, std::vector<double> matrix) {
  constexpr double rounding = 1e-13;  // of singular values, relative to the largest
  constexpr double most = 1e11;       // of n times the entries of an inverse that has no such values
  try {
    std::vector<double> inverse = invert_on(team, by, n, matrix);
    if (static_cast<double>(n) * largest_entry(inverse) < most) return inverse;
  } catch (const NumericalError&) {  // the same is done
  }
  return pseudo_inverse(n, std::move(matrix), rounding);
}

// Of the matrix on rank 0, by columns, on every rank. What went wrong there is thrown there, and told by the others.
std::vector<double> invert_on_rank0(const Communicator& comm, const Team& team, InverseBy by, Index n,
                                    IfSingular singular, std::vector<double> matrix) {
  std::vector<double> inverse(static_cast<std::size_t>(n * n));
  std::exception_ptr error;
  if (comm.rank() == 0) try {
      inverse = (singular == IfSingular::refuse ? invert_on : invert_or_pseudo_invert)(team, by, n, std::move(matrix));
    } catch (...) {
      error = std::current_exception();
    }
  const bool good = comm.agree(!error);
  if (error) std::rethrow_exception(error);
  if (!good) throw NumericalError("multigrid: the equations of the coarsest level are singular");
  comm.broadcast(inverse);
  return inverse;
}

// Whether rounding to fp32 would change what an inverse does by more than some percent where the matrix has a singular
// value of 1 besides those that make entries of the inverse large.
bool needs_double(const std::vector<double>& inverse) { return largest_entry(inverse) > 2e4; }

// [equation][value], what every equation adds to the values in M.
template <class M>
std::vector<M> expanded(const CoarsestLayout& layout, const std::vector<double>& inverse) {
  if (!layout.expand) return std::vector<M>(inverse.begin(), inverse.end());
  const std::size_t n = layout.equations.size();
  std::vector<M> matrix;
  matrix.reserve(n * layout.values.size());
  for (std::size_t e = 0; e < n; ++e)
    for (const double value : layout.expand({&inverse[e * n], n})) matrix.push_back(static_cast<M>(value));
  return matrix;
}

// An inverse in M for vectors in T.
template <class M, class T>
class DenseInverse final : public CoarsestSolver<T> {
 public:
  DenseInverse(VectorSpacePtr space, const CoarsestLayout& layout, const std::vector<double>& of_equations)
      : space_(std::move(space)),
        equations_(static_cast<Index>(layout.equations.size())),
        rows_(static_cast<Index>(layout.values.size())) {
    const Team& team = space_->team();
    const std::vector<M> inverse = expanded<M>(layout, of_equations);
    for (int p = 0; p < team.parts(); ++p) {
      const ExecutorPtr& executor = team.executor(p);
      parts_.emplace_back();
      if (!holds(p)) continue;
      parts_.back() = {make_array(executor, inverse), Array<M, 1>(executor, {pieces * rows_}),
                       make_array(executor, layout.equations), make_array(executor, layout.values)};
    }
  }

  bool repeats() const override { return true; }
  void solve(const Vector<T>& f, Vector<T>& u) override {
    const Index length = (equations_ + pieces - 1) / pieces;
    space_->team().each([&](int p) {
      if (!holds(p)) return;
      const Executor& executor = *space_->team().executor(p);
      Part& part = parts_[p];
      const double bytes = static_cast<double>(equations_ * rows_) * sizeof(M);
      launch_rows(executor, {"coarsest level", bytes}, Range<2>{{0, 0}, {pieces, rows_}},
                  InverseBody<M, T>{part.matrix.view().data, part.equations.view().data, f.part(p).data,
                                    part.sums.view().data, equations_, rows_, length});
      launch(executor, "coarsest level sums", Range<1>{{0}, {rows_}},
             AddPiecesBody<M, T>{part.sums.view().data, pieces, rows_, part.values.view().data, u.part(p).data});
    });
  }

 private:
  static constexpr Index pieces = 32;

  struct Part {
    Array<M, 1> matrix, sums;
    Array<Index, 1> equations, values;
  };

  bool holds(int part) const { return space_->layout().size(part) > 0; }

  VectorSpacePtr space_;
  Index equations_, rows_;
  std::vector<Part> parts_;
};

}  // namespace

template <class T>
std::unique_ptr<CoarsestSolver<T>> make_dense_inverse(VectorSpacePtr space, const CoarsestLayout& layout,
                                                      std::vector<double> matrix, InverseBy by, IfSingular singular) {
  const auto n = static_cast<Index>(layout.equations.size());
  const std::vector<double> inverse = invert_on_rank0(space->comm(), space->team(), by, n, singular, std::move(matrix));
  if (singular == IfSingular::least_squares && needs_double(inverse))
    return std::make_unique<DenseInverse<double, T>>(std::move(space), layout, inverse);
  return std::make_unique<DenseInverse<T, T>>(std::move(space), layout, inverse);
}

template std::unique_ptr<CoarsestSolver<double>> make_dense_inverse(VectorSpacePtr, const CoarsestLayout&,
                                                                    std::vector<double>, InverseBy, IfSingular);
template std::unique_ptr<CoarsestSolver<float>> make_dense_inverse(VectorSpacePtr, const CoarsestLayout&,
                                                                   std::vector<double>, InverseBy, IfSingular);

}  // namespace halocline::multigrid
