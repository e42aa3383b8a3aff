#include <cmath>

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
  }

 private:
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
    const double ru = of_u.xw, beta = ru_ > 0 ? ru / ru_ : 0;
    const double ps = ru_ > 0 ? of_u.xy - beta * ru / alpha_ : of_u.xy;
    const double alpha = ru / ps;
    if (!std::isfinite(ru) || !std::isfinite(of_u.xy)) return this->end(SolveStatus::not_finite);
    if (this->below_range() && !(ru > 0 && of_u.xy > 0 && ps > 0)) return this->end(SolveStatus::breakdown);
    if (!(ru > 0)) return this->end(SolveStatus::indefinite_preconditioner);
    if (!(of_u.xy > 0) || !(ps > 0)) return this->end(SolveStatus::indefinite_matrix);
    if (!std::isfinite(alpha)) return this->end(SolveStatus::breakdown);
    const double rr = cg_update(alpha, beta, u, w_, p_, s_, *this->x_, r_);
    alpha_ = alpha;
    ru_ = ru;
    ++this->report_.iterations;
    record_norm(this->reliable(std::sqrt(rr), r_, w_));
  }

  void record_norm(double residual_norm) {
    this->record(this->relative(residual_norm));
    if (!std::isfinite(residual_norm)) this->end(SolveStatus::not_finite);
  }

  using KrylovIteration<T>::A_, KrylovIteration<T>::M_;
  Vector<T> r_, p_, s_, w_;
  std::unique_ptr<Vector<T>> u_;
  double alpha_ = 0;  // of the last step
  double ru_ = 0;     // its (r, u); 0: none since the start
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_cg(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<ConjugateGradients<T>>(space, options);
}

template std::unique_ptr<KrylovSolver<double>> make_cg(VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_cg(VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
