#include "lib/krylov/iteration.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

namespace {

constexpr int most_restarts = 3;

}  // namespace

bool KrylovIteration::iterate(int n) {
  for (int i = 0; i < n && !finished(); ++i) step();
  return finished();
}

void KrylovIteration::set_system(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) {
  A_ = &A;
  M_ = M;
  b_ = &b;
  x_ = &x;
  report_ = SolveReport{};
  report_.history.reserve(static_cast<std::size_t>(std::min<Index>(options_.max_iterations, 100000)) + 2);
}

void KrylovIteration::residual(Vector& product, Vector& r) const {
  A_->apply(*x_, product);
  copy(*b_, r);
  axpy(-1, product, r);
}

void KrylovIteration::set_residual(double residual) {
  report_.residual = residual;
  report_.converged = residual <= options_.tolerance;
}

void KrylovIteration::record(double residual) {
  set_residual(residual);
  report_.history.push_back(residual);
}

bool KrylovIteration::finished() const {
  return report_.converged || report_.broken_down || report_.iterations >= options_.max_iterations;
}

void BiCgStabIteration::archive(StateArchive& state, const VectorArchive& vectors) {
  archive_report(space_->comm(), state, report_);
  state.scalar("bicgstab_rho", rho_);
  state.scalar("bicgstab_beta", beta_);
  state.scalar("bicgstab_omega", omega_);
  vectors.vector("bicgstab_r", r_);
  vectors.vector("bicgstab_r0", r0_);
  vectors.vector("bicgstab_p", p_);
  vectors.vector("bicgstab_v", v_);
}

void BiCgStabIteration::restart() {
  residual(v_, r_);
  copy(r_, r0_);
  copy(r_, p_);
  rho_ = dots(r_, r_)[1];
  beta_ = 0;
}

bool BiCgStabIteration::restart_if_sensible() {
  const bool finite = std::isfinite(norm(*x_));
  if (!finite || report_.restarts == most_restarts) {
    report_.broken_down = true;
    return false;
  }
  ++report_.restarts;
  restart();
  return true;
}

bool BiCgStabIteration::usable(double factor) { return std::isfinite(factor) && factor != 0; }

}  // namespace halocline
