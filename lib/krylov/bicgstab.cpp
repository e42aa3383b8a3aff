#include <cmath>

#include "lib/krylov/device/iterations.hpp"
#include "lib/krylov/device/launches.hpp"
#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

// Traffic per iteration without M, in vectors, beside the two products: direction 3+1, axpy 2+1, update 5+2; with fused
// sums the second product reads r0 in place of the update.
template <class T>
class BiCgStab final : public BiCgStabIteration<T> {
 public:
  BiCgStab(const VectorSpacePtr& space, const KrylovOptions& options) : BiCgStabIteration<T>(space, options) {}

  void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) override {
    this->set_system(A, M, b, x);
    if (device_) device_->forget();
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

  void archive(StateArchive& state, const VectorArchive<T>& vectors) override {
    Base::archive(state, vectors);
    if (device_) device_->forget_scalars();
  }

 private:
  using Base = BiCgStabIteration<T>;
  using NextSums = krylov_kernels::NextSums;
  using Sums = krylov_kernels::BiCgStabSums;
  using State = krylov_kernels::BiCgStabState;
  using Device = DeviceIterations<State, Sums>;

  void step() override {
    if (beta_ != 0) direction(r_, beta_, -beta_ * omega_, v_, p_);
    const Vector<T>& p_hat = precondition(p_, p_hat_);
    const double r0_v = A_->apply_with_dots(p_hat, v_, r0_).yw, alpha = rho_ / r0_v;
    if (!this->usable(alpha)) return give_up_or_restart(rho_ + r0_v);
    axpy(-alpha, v_, r_);  // r_ is s from here to the update
    const Vector<T>& s_hat = precondition(r_, s_hat_);
    const StepSums of_t = apply_to_half_step(s_hat);
    if (!take_omega(of_t.tt, of_t.ts)) return;
    if (const NextSums next = next_sums(of_t); next.trusted) {
      M_ ? update_both(alpha, p_hat, s_hat) : update_without_sums(alpha, p_, omega_, t_, *x_, r_);
      return finish_step(alpha, next.rr, next.r0_r);
    }
    const auto [rr, r0_r] =
        M_ ? update_preconditioned(alpha, p_hat, s_hat) : update(alpha, p_, omega_, t_, *x_, r_, r0_);
    finish_step(alpha, rr, r0_r);
  }

  bool fused() const { return options_.sums == SumMessages::fused; }
  StepSums apply_to_half_step(const Vector<T>& s_hat) {
    if (fused()) return A_->apply_with_step_sums(s_hat, t_, r_, r0_);
    const Dots of_t = A_->apply_with_dots(s_hat, t_, r_);
    return {.tt = of_t.yy, .ts = of_t.yw};
  }
  NextSums next_sums(const StepSums& of_t) const {
    return fused() ? krylov_kernels::next_sums(of_t, omega_, this->limits(), this->rounding()) : NextSums{};
  }

  // t = 0 only when s = 0: solved at the half step. False: the step has broken down.
  bool take_omega(double tt, double ts) {
    omega_ = tt > 0 ? ts / tt : 0;
    if (std::isfinite(omega_)) return true;
    give_up_or_restart(tt + ts);
    return false;
  }

  void finish_step(double alpha, double rr, double r0_r) {
    ++report_.iterations;
    this->record(this->relative(this->reliable(std::sqrt(rr), r_, t_)));
    if (report_.finished()) return;
    beta_ = (r0_r / rho_) * (alpha / omega_);
    rho_ = r0_r;
    if (!this->usable(beta_) || !std::isfinite(rr)) give_up_or_restart(rr + r0_r);
  }

  // The same step where the device has made it, or as much of it as makes sense.
  void take_step(const Sums& sums) {
    const double alpha = rho_ / sums.r0_v;
    if (!this->usable(alpha)) return give_up_or_restart(rho_ + sums.r0_v);
    if (!take_omega(sums.of_t.tt, sums.of_t.ts)) return;
    const NextSums next = next_sums(sums.of_t);
    next.trusted ? finish_step(alpha, next.rr, next.r0_r) : finish_step(alpha, sums.rr, sums.r0_r);
  }

  int steps(int most) override {
    const Team& team = this->space_->team();
    if (!Device::possible(options_.scalars, team, *A_, M_)) return Base::steps(most);
    if (!device_) device_ = std::make_unique<Device>(team.executor(0), "bicgstab iteration");
    const BiCgStabVectors<T> vectors{*x_, r_, r0_, p_, v_, t_, fused()};
    return device_->follow(
        most, this->launched_ahead(),
        [&] { return State{{this->limits()}, rho_, beta_, omega_, fused() ? 1 : 0, this->rounding()}; },
        [&](State* state, Device::Notes* notes) { launch_bicgstab(*A_, vectors, state, notes); },
        [&](const Sums& sums) {
          take_step(sums);
          return !report_.finished();
        });
  }

  void update_both(double alpha, const Vector<T>& p_hat, const Vector<T>& s_hat) {
    axpy(alpha, p_hat, *x_);
    axpy(omega_, s_hat, *x_);
    axpy(-omega_, t_, r_);
  }
  ResidualDots update_preconditioned(double alpha, const Vector<T>& p_hat, const Vector<T>& s_hat) {
    update_both(alpha, p_hat, s_hat);
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

  using Base::options_, Base::A_, Base::M_, Base::x_, Base::report_, Base::r_, Base::r0_, Base::p_, Base::v_, Base::t_,
      Base::rho_, Base::beta_, Base::omega_, Base::first_norm_;
  std::unique_ptr<Vector<T>> p_hat_, s_hat_;
  std::unique_ptr<Device> device_;
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_bicgstab(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<BiCgStab<T>>(space, options);
}

template std::unique_ptr<KrylovSolver<double>> make_bicgstab(VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_bicgstab(VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
