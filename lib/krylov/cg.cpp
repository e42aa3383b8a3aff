#include <cmath>

#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

class ConjugateGradients final : public KrylovIteration {
 public:
  ConjugateGradients(const VectorSpacePtr& space, const KrylovOptions& options)
      : KrylovIteration(space, options), r_(space), p_(space), q_(space) {}

  void begin(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) override {
    set_system(A, M, b, x);
    if (M_ && !z_) z_ = std::make_unique<Vector>(space_);
    b_norm_ = norm(b);
    residual(q_, r_);
    const double rr = dots(r_, r_)[1];
    rho_ = precondition_and_dot(rr);
    copy(M_ ? *z_ : r_, p_);
    record_norm(std::sqrt(rr));
  }

  void archive(StateArchive& state, const VectorArchive& vectors) override {
    archive_report(space_->comm(), state, report_);
    state.scalar("cg_b_norm", b_norm_);
    state.scalar("cg_rho", rho_);
    vectors.vector("cg_r", r_);
    vectors.vector("cg_p", p_);
  }

 private:
  void step() override {
    const double p_q = A_->apply_with_dots(p_, q_, p_)[1];
    const double alpha = rho_ / p_q;
    if (!(p_q > 0) || !std::isfinite(alpha)) {  // A is not positive definite, or the numbers left the range
      report_.broken_down = true;
      return;
    }
    axpy(alpha, p_, *x_);
    axpy(-alpha, q_, r_);
    const double rr = dots(r_, r_)[1];
    ++report_.iterations;
    record_norm(std::sqrt(rr));
    if (finished()) return;
    const double rho_next = precondition_and_dot(rr);
    direction(M_ ? *z_ : r_, rho_next / rho_, 0, q_, p_);
    rho_ = rho_next;
  }

  // (r, M^-1 r), given (r, r).
  double precondition_and_dot(double rr) {
    if (!M_) return rr;
    return M_->apply_with_dots(r_, *z_, r_)[1];
  }

  void record_norm(double residual_norm) {
    record(b_norm_ > 0 ? residual_norm / b_norm_ : residual_norm);
    report_.broken_down = !std::isfinite(report_.residual);
  }

  Vector r_, p_, q_;
  std::unique_ptr<Vector> z_;
  double b_norm_ = 0, rho_ = 0;
};

}  // namespace

std::unique_ptr<KrylovSolver> make_cg(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<ConjugateGradients>(std::move(space), options);
}

}  // namespace halocline
