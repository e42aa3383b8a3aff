#include <cmath>

#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

// Traffic per iteration without M, in vectors, beside the two products: direction 3+1, axpy 2+1, update 5+2.
class BiCgStab final : public BiCgStabIteration {
 public:
  BiCgStab(const VectorSpacePtr& space, const KrylovOptions& options) : BiCgStabIteration(space, options) {}

  void begin(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) override {
    set_system(A, M, b, x);
    if (M_ && !p_hat_) {
      p_hat_ = std::make_unique<Vector>(space_);
      s_hat_ = std::make_unique<Vector>(space_);
    }
    b_norm_ = norm(b);
    restart();
    record(relative(std::sqrt(rho_)));
  }

  void archive(StateArchive& state, const VectorArchive& vectors) override {
    BiCgStabIteration::archive(state, vectors);
    state.scalar("bicgstab_b_norm", b_norm_);
  }

 private:
  void step() override {
    if (beta_ != 0) direction(r_, beta_, -beta_ * omega_, v_, p_);
    const Vector& p_hat = precondition(p_, p_hat_);
    const double r0_v = A_->apply_with_dots(p_hat, v_, r0_)[1];
    const double alpha = rho_ / r0_v;
    if (!usable(alpha)) return give_up_or_restart();
    axpy(-alpha, v_, r_);  // r_ is s from here to the update
    const Vector& s_hat = precondition(r_, s_hat_);
    const auto [tt, ts] = A_->apply_with_dots(s_hat, t_, r_);
    omega_ = tt > 0 ? ts / tt : 0;  // t = 0 only when s = 0: solved at the half step
    if (!std::isfinite(omega_)) return give_up_or_restart();
    const auto [rr, r0_r] =
        M_ ? update_preconditioned(alpha, p_hat, s_hat) : update(alpha, p_, omega_, t_, *x_, r_, r0_);
    ++report_.iterations;
    record(relative(std::sqrt(rr)));
    if (finished()) return;
    beta_ = (r0_r / rho_) * (alpha / omega_);
    rho_ = r0_r;
    if (!usable(beta_) || !std::isfinite(rr)) give_up_or_restart();
  }

  std::array<double, 2> update_preconditioned(double alpha, const Vector& p_hat, const Vector& s_hat) {
    axpy(alpha, p_hat, *x_);
    axpy(omega_, s_hat, *x_);
    axpy(-omega_, t_, r_);
    const auto [r_r0, rr] = dots(r_, r0_);
    return {rr, r_r0};
  }

  const Vector& precondition(const Vector& x, std::unique_ptr<Vector>& y) const {
    if (!M_) return x;
    M_->apply(x, *y);
    return *y;
  }

  void give_up_or_restart() {
    if (restart_if_sensible()) set_residual(relative(std::sqrt(rho_)));
  }

  double relative(double residual_norm) const { return b_norm_ > 0 ? residual_norm / b_norm_ : residual_norm; }

  std::unique_ptr<Vector> p_hat_, s_hat_;
  double b_norm_ = 0;
};

}  // namespace

std::unique_ptr<KrylovSolver> make_bicgstab(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<BiCgStab>(std::move(space), options);
}

}  // namespace halocline
