#include <cmath>
#include <utility>

#include "lib/krylov/device/iterations.hpp"
#include "lib/krylov/device/launches.hpp"
#include "lib/krylov/fused_cg.hpp"
#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

// Residual r, u = M^-1 r, w = A u, direction p and s = A p. The step needs (p, s), which follows from (u, w) and the
// step before, so that all sums but (r, r) are ready after the product.
template <class T>
class ConjugateGradients final : public KrylovIteration<T> {
 public:
  ConjugateGradients(const VectorSpacePtr& space, const KrylovOptions& options)
      : KrylovIteration<T>(space, options), r_(space), p_(space), s_(space), w_(space) {}

  void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) override {
    this->set_system(A, M, b, x);
    if (device_) device_->forget();
    if (M_ && !u_) u_ = std::make_unique<Vector<T>>(this->space_);
    if (this->ends_without_rhs(w_)) return;
    const double size = restart();
    if (M_) M_->begin(r_);
    record_norm(size);
  }

  void archive(StateArchive& state, const VectorArchive<T>& vectors) override {
    this->archive_iteration(state);
    state.scalar("cg_alpha", alpha_);
    state.scalar("cg_ru", ru_);
    vectors.vector("cg_r", r_);
    vectors.vector("cg_p", p_);
    vectors.vector("cg_s", s_);
    if (device_) device_->forget_scalars();
  }

 private:
  using Sums = krylov_kernels::CgSums;
  using State = krylov_kernels::CgState;
  using Device = DeviceIterations<State, Sums>;

  double restart() override {
    this->residual(w_, r_);
    fill(p_, 0);
    fill(s_, 0);
    ru_ = 0;
    return this->reliable(norm(r_), r_, w_);
  }

  void step() override {
    if (M_) M_->apply(r_, *u_);
    const Vector<T>& u = M_ ? *u_ : r_;
    const Dots of_u = A_->apply_with_energy(u, w_, r_);
    if (!take_product(of_u.xy, of_u.xw)) return;
    finish_step(cg_update(alpha_, beta_, u, w_, p_, s_, *this->x_, r_));
  }

  // From (u, w) and (r, u) to the scalars of the step; false: there is none.
  bool take_product(double uw, double ru) {
    const double beta = ru_ > 0 ? ru / ru_ : 0;
    const double ps = ru_ > 0 ? uw - beta * ru / alpha_ : uw;
    const double alpha = ru / ps;
    const bool positive = ru > 0 && uw > 0 && ps > 0;
    if (!this->has_step(std::isfinite(ru) && std::isfinite(uw), ru, positive, alpha)) return false;
    alpha_ = alpha;
    beta_ = beta;
    ru_ = ru;
    return true;
  }

  void finish_step(double rr) {
    ++this->report_.iterations;
    record_norm(this->reliable(std::sqrt(rr), r_, w_));
  }

  // The same step where the device has made it.
  bool take_step(const Sums& sums) {
    if (take_product(sums.uw, sums.ru)) finish_step(sums.rr);
    return !this->report_.finished();
  }

  int steps(int most) override {
    const Team& team = this->space_->team();
    if (!Device::possible(this->options_.scalars, team, *A_, M_)) return KrylovIteration<T>::steps(most);
    if (!device_) device_ = std::make_unique<Device>(team.executor(0), "cg iteration");
    const CgVectors<T> vectors{*this->x_, r_, p_, s_, w_};
    return device_->follow(
        most, this->launched_ahead(),
        [&] {
          return State{{this->limits()}, alpha_, ru_};
        },
        [&](State* state, Device::Notes* notes) { launch_cg(*A_, vectors, state, notes); },
        [&](const Sums& sums) { return take_step(sums); });
  }

  void record_norm(double residual_norm) {
    this->record(this->relative(residual_norm));
    if (!std::isfinite(residual_norm)) this->end(SolveStatus::not_finite);
  }

  using KrylovIteration<T>::A_, KrylovIteration<T>::M_;
  Vector<T> r_, p_, s_, w_;
  std::unique_ptr<Vector<T>> u_;
  double alpha_ = 0, beta_ = 0;  // of the last step
  double ru_ = 0;                // its (r, u); 0: none since the start
  std::unique_ptr<Device> device_;
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_cg(VectorSpacePtr space, const KrylovOptions& options) {
  if (options.sums == SumMessages::fused) return make_fused_cg<T>(std::move(space), options, false);
  return std::make_unique<ConjugateGradients<T>>(space, options);
}

template std::unique_ptr<KrylovSolver<double>> make_cg(VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_cg(VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
