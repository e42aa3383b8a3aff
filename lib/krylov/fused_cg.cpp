#include "lib/krylov/fused_cg.hpp"

#include <algorithm>
#include <cmath>

#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

// Residual r, u = M^-1 r, w = A u, direction p, q = A p, as ConjugateGradients and, where it is flexible, as
// FlexibleConjugateGradients, with their states. The norm of a residual comes with the sums of the next step, after M
// and a product; where the next one is likely the last, it is computed at once. All vectors are the same either way.
template <class T>
class FusedConjugateGradients final : public KrylovIteration<T> {
 public:
  FusedConjugateGradients(const VectorSpacePtr& space, const KrylovOptions& options, bool flexible)
      : KrylovIteration<T>(space, options), flexible_(flexible), r_(space), p_(space), q_(space), w_(space) {}

  void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) override {
    this->set_system(A, M, b, x);
    ahead_ = false;
    if (M_ && !u_) u_ = std::make_unique<Vector<T>>(this->space_);
    if (this->ends_without_rhs(w_)) return;
    const double size = restart();
    if (M_) M_->begin(r_);
    record_norm(size);
  }

  void archive(StateArchive& state, const VectorArchive<T>& vectors) override {
    this->archive_iteration(state);
    state.scalar(flexible_ ? "fcg_alpha" : "cg_alpha", alpha_);
    state.scalar(flexible_ ? "fcg_ru" : "cg_ru", ru_);
    vectors.vector(flexible_ ? "fcg_r" : "cg_r", r_);
    vectors.vector(flexible_ ? "fcg_p" : "cg_p", p_);
    vectors.vector(flexible_ ? "fcg_q" : "cg_s", q_);
    if (state.restoring()) ahead_ = false;
  }

 private:
  double restart() override {
    this->residual(w_, r_);
    fill(p_, 0);
    fill(q_, 0);
    ru_ = 0;
    ahead_ = false;
    return this->reliable(norm(r_), r_, w_);
  }

  const Vector<T>& u() const { return M_ ? *u_ : r_; }

  // What the next step begins with.
  void look_ahead() {
    if (M_) M_->apply(r_, *u_);
    sums_ = A_->apply_with_energy_sums(u(), w_, r_, flexible_ ? &q_ : nullptr);
    ahead_ = true;
  }

  void step() override {
    if (!ahead_) look_ahead();
    if (!take_sums()) return;
    ahead_ = false;
    double rr = 0;
    if (this->may_end_next()) {
      rr = cg_update(alpha_, beta_, u(), w_, p_, q_, *this->x_, r_);
    } else {
      cg_update_without_sum(alpha_, beta_, u(), w_, p_, q_, *this->x_, r_);
      look_ahead();
      rr = sums_.rr;
    }
    ++this->report_.iterations;
    const double measured = std::sqrt(rr);
    if (!this->in_range(measured)) ahead_ = false;  // w gives way
    record_norm(this->reliable(measured, r_, w_));
  }

  // From the sums to the scalars of the step; false: there is none. With (p, q) of the step before, which is
  // ru / alpha, that of this one is (u, w) - (u, q)^2 / (p, q).
  bool take_sums() {
    const auto [uw, ru, rr, qu] = sums_;
    const bool first = !(ru_ > 0);
    const double beta = first ? 0 : flexible_ ? -alpha_ * qu / ru_ : ru / ru_;
    const double pq = first ? uw : flexible_ ? uw + beta * qu : uw - beta * ru / alpha_;
    const double alpha = ru / pq;
    const bool positive = ru > 0 && pq > 0 && (flexible_ || uw > 0);
    const bool finite = std::isfinite(ru) && std::isfinite(uw) && std::isfinite(beta);
    if (!this->has_step(finite, ru, positive, alpha)) return false;
    alpha_ = alpha;
    beta_ = beta;
    ru_ = ru;
    return true;
  }

  void record_norm(double residual_norm) {
    this->record(this->relative(residual_norm));
    if (!std::isfinite(residual_norm)) this->end(SolveStatus::not_finite);
  }

  using KrylovIteration<T>::A_, KrylovIteration<T>::M_;
  bool flexible_;
  Vector<T> r_, p_, q_, w_;
  std::unique_ptr<Vector<T>> u_;
  EnergySums sums_;              // of the next step
  bool ahead_ = false;           // they are known, and u and w
  double alpha_ = 0, beta_ = 0;  // of the last step
  double ru_ = 0;                // its (r, u); 0: none since the start
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_fused_cg(VectorSpacePtr space, const KrylovOptions& options, bool flexible) {
  return std::make_unique<FusedConjugateGradients<T>>(space, options, flexible);
}

template std::unique_ptr<KrylovSolver<double>> make_fused_cg(VectorSpacePtr, const KrylovOptions&, bool);
template std::unique_ptr<KrylovSolver<float>> make_fused_cg(VectorSpacePtr, const KrylovOptions&, bool);

}  // namespace halocline
