#include "lib/krylov/iteration.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

namespace {

constexpr int most_restarts = 3;
constexpr double least_progress = 0.999;  // of a window of KrylovOptions::stagnation

}  // namespace

template <class T>
bool KrylovIteration<T>::iterate(int n) {
  for (int i = 0;; ++i) {
    if (!report_.finished() && report_.iterations >= options_.max_iterations) end(SolveStatus::max_iterations);
    if (report_.finished() || i >= n) return report_.finished();
    step();
    if (options_.confirm && report_.status == SolveStatus::converged) confirm();
  }
}

template <class T>
void KrylovIteration<T>::set_system(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) {
  A_ = &A;
  M_ = M;
  b_ = &b;
  x_ = &x;
  measure_ = 0;
  begun_again_ = false;
  report_ = SolveReport{};
  report_.history.reserve(static_cast<std::size_t>(std::min<Index>(options_.max_iterations, 100000)) + 2);
}

template <class T>
bool KrylovIteration<T>::ends_without_rhs(Vector<T>& scratch) {
  measure_ = norm(*b_);
  if (measure_ != 0) return false;
  const bool zero = vanishes(*b_, scratch);
  if (zero) fill(*x_, 0);
  record(zero ? 0 : 1);
  end(zero ? SolveStatus::zero_rhs : SolveStatus::breakdown);
  return true;
}

template <class T>
bool KrylovIteration<T>::vanishes(const Vector<T>& r, Vector<T>& scratch) {
  fill(scratch, 0);
  axpy(sizeof(T) == sizeof(double) ? 0x1p600 : 0x1p100, r, scratch);
  return norm(scratch) == 0;
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
}

template <class T>
double BiCgStabIteration<T>::restart() {
  this->residual(v_, r_);
  copy(r_, r0_);
  copy(r_, p_);
  rho_ = dots(r_, r_).xx;
  beta_ = 0;
  return std::sqrt(rho_);
}

template <class T>
bool BiCgStabIteration<T>::restart_if_sensible(double sum) {
  const bool finite = std::isfinite(norm(*x_));
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
