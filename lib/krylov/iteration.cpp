#include "lib/krylov/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace halocline {

namespace {

constexpr int most_restarts = 3;
constexpr int cheap_to_check = 30;        // iterations beside which one more norm costs nothing
constexpr double least_progress = 0.999;  // of a window of KrylovOptions::stagnation

// Sums of squares below the square of this lose digits, those of numbers below its inverse are finite; `scale` takes
// the former, its inverse the latter to where they are exact.
template <class T>
struct Squares {
  static constexpr bool is_double = sizeof(T) == sizeof(double);
  static constexpr double least_norm = is_double ? 0x1p-480 : 0x1p-50;
  static constexpr double scale = is_double ? 0x1p600 : 0x1p100;
};

void check(const KrylovOptions& options) {
  require(options.tolerance >= 0 && options.absolute_tolerance >= 0 && options.divergence >= 0,
          "Krylov methods: tolerances and the limit of divergence are numbers from 0 on");
  require(options.max_iterations >= 0 && options.stagnation >= 0,
          "Krylov methods: counts of iterations are numbers from 0 on");
  require(
      options.restart >= 1 && options.restart <= KrylovOptions::longest_cycle,
      "Krylov methods: a cycle of GMRES has from 1 to " + std::to_string(KrylovOptions::longest_cycle) + " iterations");
}

}  // namespace

template <class T>
KrylovIteration<T>::KrylovIteration(VectorSpacePtr space, const KrylovOptions& options)
    : options_(options), space_(std::move(space)) {
  check(options);
}

template <class T>
void KrylovIteration<T>::set_limits(double tolerance, Index max_iterations) {
  options_.tolerance = tolerance;
  options_.max_iterations = max_iterations;
  check(options_);
}

template <class T>
bool KrylovIteration<T>::iterate(int n) {
  if (reopened_) {  // methods end in the middle of an iteration
    reopened_ = false;
    ++report_.restarts;
    restart();
  }
  int done = 0;
  while (!report_.finished()) {
    const Index left = options_.max_iterations - report_.iterations;
    if (left <= 0) {
      end(SolveStatus::max_iterations);
    } else if (done >= n) {
      return false;
    } else {
      done += steps(static_cast<int>(std::min<Index>(left, n - done)));
      if (options_.confirm && report_.status == SolveStatus::converged) confirm();
    }
    if (report_.finished()) check_solution();
  }
  return true;
}

// A residual that is carried along knows nothing of numbers in x that overflowed where A takes them to zero.
template <class T>
void KrylovIteration<T>::check_solution() {
  const bool at_limit = report_.status == SolveStatus::max_iterations;
  if (!at_limit && !(report_.converged() && report_.iterations >= cheap_to_check)) return;
  const double size = norm(*x_);
  if (std::isfinite(size)) return;
  Vector<T> scratch(space_);
  if (!std::isfinite(reliable(size, *x_, scratch))) end(SolveStatus::not_finite);
}

template <class T>
void KrylovIteration<T>::set_system(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) {
  A_ = &A;
  M_ = M;
  b_ = &b;
  x_ = &x;
  measure_ = 0;
  begun_again_ = reopened_ = false;
  report_ = SolveReport{};
  report_.history.reserve(static_cast<std::size_t>(std::min<Index>(options_.max_iterations, 100000)) + 2);
}

template <class T>
bool KrylovIteration<T>::ends_without_rhs(Vector<T>& scratch) {
  const double measured = norm(*b_);
  measure_ = reliable(measured, *b_, scratch);
  const bool finite = std::isfinite(measure_), zero = measure_ == 0;
  if (finite && measured != 0) return false;
  if (zero) fill(*x_, 0);
  record(zero ? 0 : finite ? 1 : measure_);
  end(zero ? SolveStatus::zero_rhs : finite ? SolveStatus::breakdown : SolveStatus::not_finite);
  return true;
}

template <class T>
bool KrylovIteration<T>::in_range(double measured) {
  return measured >= Squares<T>::least_norm && std::isfinite(measured);
}

template <class T>
krylov_kernels::Limits KrylovIteration<T>::limits() const {
  const double largest = options_.divergence > 0 ? options_.divergence * report_.history.front() : -1;
  return {measure_, options_.tolerance, options_.absolute_tolerance, largest, Squares<T>::least_norm};
}

template <class T>
int KrylovIteration<T>::launched_ahead() const {
  return options_.stagnation > 0 ? 1 : 3;
}

template <class T>
double KrylovIteration<T>::reliable(double measured, const Vector<T>& r, Vector<T>& scratch) {
  if (in_range(measured)) return measured;
  const double scale = measured < 1 ? Squares<T>::scale : 1 / Squares<T>::scale;
  fill(scratch, 0);
  axpy(scale, r, scratch);
  return norm(scratch) / scale;
}

template <class T>
bool KrylovIteration<T>::below_range() const {
  return report_.residual * (measure_ > 0 ? measure_ : 1) < Squares<T>::least_norm;
}

template <class T>
bool KrylovIteration<T>::has_step(bool finite, double ru, bool positive, double alpha) {
  if (!finite) {
    end(SolveStatus::not_finite);
  } else if (below_range() && !positive) {
    end(SolveStatus::breakdown);
  } else if (!(ru > 0)) {
    end(SolveStatus::indefinite_preconditioner);
  } else if (!positive) {
    end(SolveStatus::indefinite_matrix);
  } else if (!std::isfinite(alpha)) {
    end(SolveStatus::breakdown);
  }
  return !report_.finished();
}

template <class T>
bool KrylovIteration<T>::may_end_next() const {
  const auto& history = report_.history;
  const std::size_t count = history.size();
  const double rate =
      count < 2 || !(history[count - 2] > 0) ? 1 : std::min(1.0, history[count - 1] / history[count - 2]);
  return limits().nearly_met(rate * report_.residual);
}

template <class T>
void KrylovIteration<T>::residual(Vector<T>& product, Vector<T>& r) const {
  A_->apply(*x_, product);
  copy(*b_, r);
  axpy(-1, product, r);
}

template <class T>
void KrylovIteration<T>::set_residual(double residual) {
  report_.residual = residual;
  const bool small = measure_ > 0 && residual * measure_ <= options_.absolute_tolerance;
  report_.status = residual <= options_.tolerance || small ? SolveStatus::converged : SolveStatus::running;
}

template <class T>
void KrylovIteration<T>::record(double residual) {
  set_residual(residual);
  report_.history.push_back(residual);
  if (report_.finished()) return;
  if (options_.divergence > 0 && residual > options_.divergence * report_.history.front()) end(SolveStatus::diverged);
  if (has_stagnated()) end(SolveStatus::stagnated);
}

template <class T>
bool KrylovIteration<T>::has_stagnated() const {
  const auto& history = report_.history;
  const auto window = static_cast<std::ptrdiff_t>(options_.stagnation);
  if (window <= 0 || static_cast<std::ptrdiff_t>(history.size()) <= window) return false;
  const double before = *std::min_element(history.begin(), history.end() - window);
  return *std::min_element(history.end() - window, history.end()) > least_progress * before;
}

template <class T>
void KrylovIteration<T>::confirm() {
  const double recursive = report_.residual;
  set_residual(relative(restart()));
  if (report_.status == SolveStatus::converged) return;
  if (report_.residual <= allowed_gap * recursive) {
    end(SolveStatus::converged);
  } else if (begun_again_) {
    end(std::isfinite(report_.residual) ? SolveStatus::stagnated : SolveStatus::not_finite);
  } else {
    begun_again_ = true;
    ++report_.restarts;
  }
}

template <class T>
void KrylovIteration<T>::archive_iteration(StateArchive& state) {
  archive_report(space_->comm(), state, report_);
  state.scalar("krylov_measure", measure_);
  Index again = begun_again_ ? 1 : 0;
  state.scalar("krylov_begun_again", again);
  begun_again_ = again != 0;
  if (!state.restoring() || report_.status != SolveStatus::converged) return;
  set_residual(report_.residual);
  reopened_ = report_.status == SolveStatus::running;
}

template <class T>
void BiCgStabIteration<T>::archive(StateArchive& state, const VectorArchive<T>& vectors) {
  this->archive_iteration(state);
  state.scalar("bicgstab_rho", rho_);
  state.scalar("bicgstab_beta", beta_);
  state.scalar("bicgstab_omega", omega_);
  vectors.vector("bicgstab_r", r_);
  vectors.vector("bicgstab_r0", r0_);
  vectors.vector("bicgstab_p", p_);
  vectors.vector("bicgstab_v", v_);
  if (state.restoring()) first_norm_ = this->reliable(norm(r0_), r0_, t_);
}

template <class T>
double BiCgStabIteration<T>::restart() {
  this->residual(v_, r_);
  copy(r_, r0_);
  copy(r_, p_);
  rho_ = dots(r_, r_).xx;
  beta_ = 0;
  return first_norm_ = this->reliable(std::sqrt(rho_), r_, t_);
}

template <class T>
bool BiCgStabIteration<T>::restart_if_sensible(double sum) {
  const bool finite = std::isfinite(this->reliable(norm(*x_), *x_, t_));
  if (!finite || report_.restarts == most_restarts) {
    this->end(finite && std::isfinite(sum) ? SolveStatus::breakdown : SolveStatus::not_finite);
    return false;
  }
  ++report_.restarts;
  restart();
  return true;
}

template <class T>
bool BiCgStabIteration<T>::usable(double factor) {
  return std::isfinite(factor) && factor != 0;
}

template class KrylovIteration<double>;
template class KrylovIteration<float>;
template class BiCgStabIteration<double>;
template class BiCgStabIteration<float>;

}  // namespace halocline
