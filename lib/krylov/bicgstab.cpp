#include <cmath>

#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

// Traffic per iteration without M, in vectors, beside the two products: direction 3+1, axpy 2+1, update 5+2.
template <class T>
class BiCgStab final : public BiCgStabIteration<T> {
 public:
  BiCgStab(const VectorSpacePtr& space, const KrylovOptions& options) : BiCgStabIteration<T>(space, options) {}

  void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) override {
    this->set_system(A, M, b, x);
    if (M_ && !p_hat_) {
      p_hat_ = std::make_unique<Vector<T>>(this->space_);
      s_hat_ = std::make_unique<Vector<T>>(this->space_);
    }
    if (this->ends_without_rhs(t_)) return;
    this->restart();
    if (M_) M_->begin(r_);
    this->record(this->relative(first_norm_));
    if (!std::isfinite(first_norm_)) this->end(SolveStatus::not_finite);
  }

 private:
  void step() override {
    if (beta_ != 0) direction(r_, beta_, -beta_ * omega_, v_, p_);
    const Vector<T>& p_hat = precondition(p_, p_hat_);
    const double r0_v = A_->apply_with_dots(p_hat, v_, r0_).yw, alpha = rho_ / r0_v;
    if (!this->usable(alpha)) return give_up_or_restart(rho_ + r0_v);
    axpy(-alpha, v_, r_);  // r_ is s from here to the update
    const Vector<T>& s_hat = precondition(r_, s_hat_);
    const Dots of_t = A_->apply_with_dots(s_hat, t_, r_);
    omega_ = of_t.yy > 0 ? of_t.yw / of_t.yy : 0;  // t = 0 only when s = 0: solved at the half step
    if (!std::isfinite(omega_)) return give_up_or_restart(of_t.yy + of_t.yw);
    const auto [rr, r0_r] =
        M_ ? update_preconditioned(alpha, p_hat, s_hat) : update(alpha, p_, omega_, t_, *x_, r_, r0_);
    ++report_.iterations;
    this->record(this->relative(this->reliable(std::sqrt(rr), r_, t_)));
    if (report_.finished()) return;
    beta_ = (r0_r / rho_) * (alpha / omega_);
    rho_ = r0_r;
    if (!this->usable(beta_) || !std::isfinite(rr)) give_up_or_restart(rr + r0_r);
  }

  ResidualDots update_preconditioned(double alpha, const Vector<T>& p_hat, const Vector<T>& s_hat) {
    axpy(alpha, p_hat, *x_);
    axpy(omega_, s_hat, *x_);
    axpy(-omega_, t_, r_);
    const Dots of_r = dots(r_, r0_);
    return {of_r.xx, of_r.xy};
  }

  const Vector<T>& precondition(const Vector<T>& x, std::unique_ptr<Vector<T>>& y) const {
    if (!M_) return x;
    M_->apply(x, *y);
    return *y;
  }

  void give_up_or_restart(double sum) {
    if (this->restart_if_sensible(sum)) this->set_residual(this->relative(first_norm_));
  }

  using Base = BiCgStabIteration<T>;
  using Base::A_, Base::M_, Base::x_, Base::report_, Base::r_, Base::r0_, Base::p_, Base::v_, Base::t_, Base::rho_,
      Base::beta_, Base::omega_, Base::first_norm_;
  std::unique_ptr<Vector<T>> p_hat_, s_hat_;
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_bicgstab(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<BiCgStab<T>>(space, options);
}

template std::unique_ptr<KrylovSolver<double>> make_bicgstab(VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_bicgstab(VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
