#include <array>
#include <cmath>
#include <utility>

#include "lib/krylov/fused_cg.hpp"
#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

// Residual r, u = M^-1 r, direction p, q = A p. The part of u along the last direction, (u, r - r_old)/(u_old, r_old),
// is -alpha (u, q)/(u_old, r_old), so that the old residual need not be kept.
template <class T>
class FlexibleConjugateGradients final : public KrylovIteration<T> {
 public:
  FlexibleConjugateGradients(const VectorSpacePtr& space, const KrylovOptions& options)
      : KrylovIteration<T>(space, options), r_(space), p_(space), q_(space) {}

  void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) override {
    this->set_system(A, M, b, x);
    if (M_ && !u_) u_ = std::make_unique<Vector<T>>(this->space_);
    if (this->ends_without_rhs(q_)) return;
    const double size = restart();
    if (M_) M_->begin(r_);
    record_norm(size);
  }

  void archive(StateArchive& state, const VectorArchive<T>& vectors) override {
    this->archive_iteration(state);
    state.scalar("fcg_alpha", alpha_);
    state.scalar("fcg_ru", ru_);
    vectors.vector("fcg_r", r_);
    vectors.vector("fcg_p", p_);
    vectors.vector("fcg_q", q_);
  }

 private:
  double restart() override {
    this->residual(q_, r_);
    fill(p_, 0);
    fill(q_, 0);
    ru_ = 0;
    return residual_norm();
  }

  void step() override {
    if (M_) M_->apply(r_, *u_);
    const Vector<T>& u = M_ ? *u_ : r_;
    std::array<double, 2> of_u;  // (r, u), (q, u)
    multi_dot<T>(std::array{static_cast<const Vector<T>*>(&r_), static_cast<const Vector<T>*>(&q_)}, u, of_u);
    const double ru = of_u[0], beta = ru_ > 0 ? -alpha_ * of_u[1] / ru_ : 0;
    if (!std::isfinite(ru) || !std::isfinite(beta)) return this->end(SolveStatus::not_finite);
    if (!(ru > 0)) return end_indefinite(SolveStatus::indefinite_preconditioner);
    combine(1, u, beta, 0, u, p_);
    const double pq = A_->apply_with_energy(p_, q_, p_).xy;
    const double alpha = ru / pq;
    if (!std::isfinite(pq)) return this->end(SolveStatus::not_finite);
    if (!(pq > 0)) return end_indefinite(SolveStatus::indefinite_matrix);
    if (!std::isfinite(alpha)) return this->end(SolveStatus::breakdown);
    axpy(alpha, p_, *this->x_);
    axpy(-alpha, q_, r_);
    alpha_ = alpha;
    ru_ = ru;
    ++this->report_.iterations;
    record_norm(residual_norm());
  }

  double residual_norm() {
    const double measured = norm(r_);
    if (this->in_range(measured)) return measured;
    if (!u_) u_ = std::make_unique<Vector<T>>(this->space_);
    return this->reliable(measured, r_, *u_);
  }

  void end_indefinite(SolveStatus reason) { this->end(this->below_range() ? SolveStatus::breakdown : reason); }

  void record_norm(double residual_norm) {
    this->record(this->relative(residual_norm));
    if (!std::isfinite(residual_norm)) this->end(SolveStatus::not_finite);
  }

  using KrylovIteration<T>::A_, KrylovIteration<T>::M_;
  Vector<T> r_, p_, q_;
  std::unique_ptr<Vector<T>> u_;
  double alpha_ = 0;  // of the last step
  double ru_ = 0;     // its (r, u); 0: none since the start
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_flexible_cg(VectorSpacePtr space, const KrylovOptions& options) {
  if (options.sums == SumMessages::fused) return make_fused_cg<T>(std::move(space), options, true);
  return std::make_unique<FlexibleConjugateGradients<T>>(space, options);
}

template std::unique_ptr<KrylovSolver<double>> make_flexible_cg(VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_flexible_cg(VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
