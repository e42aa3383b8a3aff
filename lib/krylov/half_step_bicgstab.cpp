#include <cmath>

#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

// Residuals, p, v and t lie in the space of the equations, the preconditioned p_hat and s_hat and x in that of the
// unknowns. Traffic per iteration, in vectors, beside two products and two preconditioners: direction 3+1, r0.v 2,
// s 2+1, x twice 2+1, norms of s_hat and x 2, t.s 2, r 2+1, r.r0 2.
class HalfStepBiCgStab final : public BiCgStabIteration {
 public:
  HalfStepBiCgStab(const VectorSpacePtr& space, const KrylovOptions& options)
      : BiCgStabIteration(space, options), hat_(space) {}

  void begin(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) override {
    require(M != nullptr, "half-step BiCGSTAB needs a preconditioner, whose accuracy makes its estimate one");
    set_system(A, M, b, x);
    restart();
    record(residual_vanishes() ? 0 : 1);  // nothing else is known of b - A x
  }

 private:
  void step() override {
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

  void give_up_or_restart() {
    if (restart_if_sensible() && residual_vanishes()) record(0);  // solved exactly
  }

  // Squares of numbers below 1e-162 vanish too, and a residual that is not a number does not.
  bool residual_vanishes() {
    if (rho_ != 0) return false;
    fill(t_, 0);
    axpy(0x1p600, r_, t_);
    return norm(t_) == 0;
  }

  Vector hat_;
};

}  // namespace

std::unique_ptr<KrylovSolver> make_half_step_bicgstab(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<HalfStepBiCgStab>(std::move(space), options);
}

}  // namespace halocline
