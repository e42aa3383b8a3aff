#include <cmath>

#include "lib/krylov/krylov.hpp"

namespace halocline {

namespace {

constexpr int most_restarts = 3;

// Traffic per iteration without M, in vectors, beside the two products: direction 3+1, axpy 2+1, update 5+2.
class BiCgStab final : public KrylovSolver {
 public:
  BiCgStab(VectorSpacePtr space, const KrylovOptions& options)
      : options_(options), r_(space), r0_(space), p_(space), v_(space), t_(space), space_(std::move(space)) {}

  void begin(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) override {
    A_ = &A;
    M_ = M;
    b_ = &b;
    x_ = &x;
    if (M_ && !p_hat_) {
      p_hat_ = std::make_unique<Vector>(space_);
      s_hat_ = std::make_unique<Vector>(space_);
    }
    report_ = SolveReport{};
    const auto expected = static_cast<std::size_t>(std::min<Index>(options_.max_iterations, 100000)) + 2;
    report_.history.reserve(expected);
    b_norm_ = norm(b);
    restart();
    record(std::sqrt(rho_));
  }

  bool iterate(int n) override {
    for (int i = 0; i < n && !finished(); ++i) step();
    return finished();
  }

  const SolveReport& report() const override { return report_; }

  void archive(StateArchive& state, const VectorArchive& vectors) override {
    archive_report(space_->comm(), state, report_);
    state.scalar("bicgstab_b_norm", b_norm_);
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
    record(std::sqrt(rr));
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

  static bool usable(double factor) { return std::isfinite(factor) && factor != 0; }

  // A breakdown says nothing about x unless it is not finite any more, which no restart can mend.
  void give_up_or_restart() {
    const bool finite = std::isfinite(norm(*x_));
    if (!finite || report_.restarts == most_restarts) {
      report_.broken_down = true;
      return;
    }
    ++report_.restarts;
    restart();
    set_residual(std::sqrt(rho_));
    report_.converged = report_.residual <= options_.tolerance;
  }

  void record(double residual_norm) {
    set_residual(residual_norm);
    report_.history.push_back(report_.residual);
    report_.converged = report_.residual <= options_.tolerance;
  }
  void set_residual(double residual_norm) { report_.residual = b_norm_ > 0 ? residual_norm / b_norm_ : residual_norm; }

  bool finished() const {
    return report_.converged || report_.broken_down || report_.iterations >= options_.max_iterations;
  }

  KrylovOptions options_;
  const LinearOperator* A_ = nullptr;
  const LinearOperator* M_ = nullptr;
  const Vector* b_ = nullptr;
  Vector* x_ = nullptr;
  Vector r_, r0_, p_, v_, t_;
  VectorSpacePtr space_;
  std::unique_ptr<Vector> p_hat_, s_hat_;
  double b_norm_ = 0, rho_ = 0, beta_ = 0, omega_ = 0;
  SolveReport report_;
};

}  // namespace

std::unique_ptr<KrylovSolver> make_bicgstab(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<BiCgStab>(std::move(space), options);
}

}  // namespace halocline
