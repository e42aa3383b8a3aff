#include <cmath>

#include "lib/krylov/krylov.hpp"

namespace halocline {

namespace {

class ConjugateGradients final : public KrylovSolver {
 public:
  ConjugateGradients(VectorSpacePtr space, const KrylovOptions& options)
      : options_(options), r_(space), p_(space), q_(space), space_(std::move(space)) {}

  void begin(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x) override {
    A_ = &A;
    M_ = M;
    x_ = &x;
    if (M_ && !z_) z_ = std::make_unique<Vector>(space_);
    report_ = SolveReport{};
    b_norm_ = norm(b);
    A.apply(x, q_);
    copy(b, r_);
    axpy(-1, q_, r_);
    const double rr = dots(r_, r_)[1];
    rho_ = precondition_and_dot(rr);
    copy(M_ ? *z_ : r_, p_);
    record(std::sqrt(rr));
  }

  bool iterate(int n) override {
    for (int i = 0; i < n && !finished(); ++i) step();
    return finished();
  }

  const SolveReport& report() const override { return report_; }

  void archive(StateArchive& state, const VectorArchive& vectors) override {
    archive_report(space_->comm(), state, report_);
    state.scalar("cg_b_norm", b_norm_);
    state.scalar("cg_rho", rho_);
    vectors.vector("cg_r", r_);
    vectors.vector("cg_p", p_);
  }

 private:
  void step() {
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
    record(std::sqrt(rr));
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

  void record(double residual_norm) {
    report_.residual = b_norm_ > 0 ? residual_norm / b_norm_ : residual_norm;
    report_.history.push_back(report_.residual);
    report_.converged = report_.residual <= options_.tolerance;
    report_.broken_down = !std::isfinite(report_.residual);
  }

  bool finished() const {
    return report_.converged || report_.broken_down || report_.iterations >= options_.max_iterations;
  }

  KrylovOptions options_;
  const LinearOperator* A_ = nullptr;
  const LinearOperator* M_ = nullptr;
  Vector* x_ = nullptr;
  Vector r_, p_, q_;
  VectorSpacePtr space_;
  std::unique_ptr<Vector> z_;
  double b_norm_ = 0, rho_ = 0;
  SolveReport report_;
};

}  // namespace

std::unique_ptr<KrylovSolver> make_cg(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<ConjugateGradients>(std::move(space), options);
}

}  // namespace halocline
