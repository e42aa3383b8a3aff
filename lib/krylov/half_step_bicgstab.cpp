#include <array>
#include <cmath>

#include "lib/krylov/device/bicgstab_kernels.hpp"
#include "lib/krylov/iteration.hpp"
#include "lib/linalg/vector_sums.hpp"

namespace halocline {

namespace {

// Residuals, p, v and t lie in the space of the equations, the preconditioned p_hat and s_hat and x in that of the
// unknowns. Traffic per iteration, in vectors, beside two products and two preconditioners: direction 3+1, r0.v 2,
// s 2+1, x twice 2+1, norms of s_hat and x 2, t.s 2, r 2+1, r.r0 2; with fused sums one pass over five for the last of
// these, after the product.
template <class T>
class HalfStepBiCgStab final : public BiCgStabIteration<T> {
 public:
  HalfStepBiCgStab(const VectorSpacePtr& space, const KrylovOptions& options)
      : BiCgStabIteration<T>(space, options), hat_(space) {
    require(!options.confirm && options.absolute_tolerance == 0, "half-step BiCGSTAB knows no norm of the residual");
  }

  void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) override {
    require(M != nullptr, "half-step BiCGSTAB needs a preconditioner, whose accuracy makes its estimate one");
    this->set_system(A, M, b, x);
    this->restart();
    M_->begin(r_);
    this->record(first_norm_ == 0 ? 0 : 1);  // nothing else is known of b - A x
    if (!std::isfinite(first_norm_)) this->end(SolveStatus::not_finite);
  }

 private:
  void step() override {
    if (beta_ != 0) direction(r_, beta_, -beta_ * omega_, v_, p_);
    M_->apply(p_, hat_);
    const double r0_v = A_->apply_with_dots(hat_, v_, r0_).yw, alpha = rho_ / r0_v;
    if (!this->usable(alpha)) return give_up_or_restart(rho_ + r0_v);
    axpy(-alpha, v_, r_);  // r_ is s from here on
    axpy(alpha, hat_, *x_);
    M_->apply(r_, hat_);
    CorrectionSums all;
    const bool fused = multiply_fused(all);
    const auto [of_hat, of_x] = fused ? std::array{std::sqrt(all.cc), std::sqrt(all.xx)} : norms(hat_, *x_);
    if (ends_at_half_step(of_hat, of_x)) return;
    if (!fused) {
      const Dots sums = A_->apply_with_dots(hat_, t_, r_);
      all.step = {.tt = sums.yy, .ts = sums.yw};
    }
    const StepSums& of_t = all.step;
    omega_ = of_t.ts / of_t.tt;
    if (!this->usable(omega_)) return give_up_or_restart(of_t.tt + of_t.ts);
    axpy(omega_, hat_, *x_);
    axpy(-omega_, t_, r_);
    const krylov_kernels::NextSums next =
        krylov_kernels::next_sums(of_t, omega_, {.least_norm = this->limits().least_norm}, this->rounding());
    const double r_r0 = fused && next.trusted ? next.r0_r : dots(r_, r0_).xy;
    beta_ = (r_r0 / rho_) * (alpha / omega_);
    rho_ = r_r0;
    if (!this->usable(beta_)) give_up_or_restart(r_r0);
  }

  // The product and all sums at once, unless the step is likely to end before it. False: they are still to be had.
  bool multiply_fused(CorrectionSums& all) {
    if (this->options_.sums != SumMessages::fused || this->may_end_next()) return false;
    A_->apply(hat_, t_);
    all = correction_sums(hat_, *x_, t_, r_, r0_);
    return this->in_range(std::sqrt(all.cc)) && this->in_range(std::sqrt(all.xx));
  }

  // Takes the estimate, from the norms of the correction and of x; true: there is nothing left of the step.
  bool ends_at_half_step(double of_hat, double of_x) {
    const double estimate = this->reliable(of_hat, hat_, t_), size = this->reliable(of_x, *x_, t_);
    if (!std::isfinite(estimate) || !std::isfinite(size)) {
      give_up_or_restart(estimate + size);
      return true;
    }
    ++report_.iterations;
    this->record(size > 0 ? estimate / size : estimate);
    if (report_.converged()) axpy(1, hat_, *x_);
    return report_.converged();
  }

  void give_up_or_restart(double sum) {
    if (this->restart_if_sensible(sum) && first_norm_ == 0) this->record(0);  // solved exactly
  }

  using Base = BiCgStabIteration<T>;
  using Base::A_, Base::M_, Base::x_, Base::report_, Base::r_, Base::r0_, Base::p_, Base::v_, Base::t_, Base::rho_,
      Base::beta_, Base::omega_, Base::first_norm_;
  Vector<T> hat_;
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_half_step_bicgstab(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<HalfStepBiCgStab<T>>(space, options);
}

template std::unique_ptr<KrylovSolver<double>> make_half_step_bicgstab(VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_half_step_bicgstab(VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
