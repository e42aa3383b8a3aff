#include <algorithm>
#include <cmath>

#include "lib/krylov/krylov.hpp"

namespace halocline {

namespace {

constexpr int most_restarts = 3;

// Residuals, p, v and t lie in the space of the equations, the preconditioned p_hat and s_hat and x in that of the
// unknowns. Traffic per iteration, in vectors, beside two products and two preconditioners: direction 3+1, r0.v 2,
// s 2+1, x twice 2+1, norms of s_hat and x 2, t.s 2, r 2+1, r.r0 2.
class HalfStepBiCgStab final : public KrylovSolver {
 public:
  HalfStepBiCgStab(VectorSpacePtr space, const KrylovOptions& options)
      : options_(options),
        r_(space),
        r0_(space),
        p_(space),
        v_(space),
        t_(space),
        hat_(space),
        space_(std::move(space)) {}

  void begin(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) override {
    require(M != nullptr, "half-step BiCGSTAB needs a preconditioner, whose accuracy makes its estimate one");
    A_ = &A;
    M_ = M;
    b_ = &b;
    x_ = &x;
    report_ = SolveReport{};
    report_.history.reserve(static_cast<std::size_t>(std::min<Index>(options_.max_iterations, 100000)) + 2);
    restart();
    record(rho_ > 0 ? 1 : 0);  // nothing is known but whether b - A x vanishes
  }

  bool iterate(int n) override {
    for (int i = 0; i < n && !finished(); ++i) step();
    return finished();
  }

  const SolveReport& report() const override { return report_; }

  void archive(StateArchive& state, const VectorArchive& vectors) override {
    archive_report(space_->comm(), state, report_);
    state.scalar("bicgstab_rho", rho_);
    state.scalar("bicgstab_beta", beta_);
    state.scalar("bicgstab_omega", omega_);
    vectors.vector("bicgstab_r", r_);
    vectors.vector("bicgstab_r0", r0_);
    vectors.vector("bicgstab_p", p_);
    vectors.vector("bicgstab_v", v_);
  }

 private:
  // Begins anew from the present x: r = b - A x.
  void restart() {
    A_->apply(*x_, v_);
    copy(*b_, r_);
    axpy(-1, v_, r_);
    copy(r_, r0_);
    copy(r_, p_);
    rho_ = dots(r_, r_)[1];
    beta_ = 0;
  }

  void step() {
    if (beta_ != 0) direction(r_, beta_, -beta_ * omega_, v_, p_);
    M_->apply(p_, hat_);
    const double r0_v = A_->apply_with_dots(hat_, v_, r0_)[1];
    const double alpha = rho_ / r0_v;
    if (!usable(alpha)) return give_up_or_restart();
    axpy(-alpha, v_, r_);  // r_ is s from here on
    axpy(alpha, hat_, *x_);
    M_->apply(r_, hat_);
    const double estimate = norm(hat_), size = norm(*x_);
    if (!std::isfinite(estimate) || !std::isfinite(size)) return give_up_or_restart();
    ++report_.iterations;
    record(size > 0 ? estimate / size : estimate);
    if (report_.converged) return axpy(1, hat_, *x_);
    const auto [tt, ts] = A_->apply_with_dots(hat_, t_, r_);
    omega_ = ts / tt;
    if (!usable(omega_)) return give_up_or_restart();
    axpy(omega_, hat_, *x_);
    axpy(-omega_, t_, r_);
    const double r_r0 = dots(r_, r0_)[0];
    beta_ = (r_r0 / rho_) * (alpha / omega_);
    rho_ = r_r0;
    if (!usable(beta_)) give_up_or_restart();
  }

  static bool usable(double factor) { return std::isfinite(factor) && factor != 0; }

  // A breakdown says nothing about x unless it is not finite any more, which no restart can mend.
  void give_up_or_restart() {
    if (!std::isfinite(norm(*x_)) || report_.restarts == most_restarts) {
      report_.broken_down = true;
      return;
    }
    ++report_.restarts;
    restart();
    if (rho_ == 0) record(0);  // solved exactly
  }

  void record(double estimate) {
    report_.residual = estimate;
    report_.history.push_back(estimate);
    report_.converged = estimate <= options_.tolerance;
  }

  bool finished() const {
    return report_.converged || report_.broken_down || report_.iterations >= options_.max_iterations;
  }

  KrylovOptions options_;
  const LinearOperator* A_ = nullptr;
  const LinearOperator* M_ = nullptr;
  const Vector* b_ = nullptr;
  Vector* x_ = nullptr;
  Vector r_, r0_, p_, v_, t_, hat_;
  VectorSpacePtr space_;
  double rho_ = 0, beta_ = 0, omega_ = 0;
  SolveReport report_;
};

}  // namespace

std::unique_ptr<KrylovSolver> make_half_step_bicgstab(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<HalfStepBiCgStab>(std::move(space), options);
}

}  // namespace halocline
