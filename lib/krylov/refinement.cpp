#include <algorithm>
#include <cmath>

#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

class Refinement final : public KrylovIteration<double> {
 public:
  Refinement(const VectorSpacePtr& space, const KrylovOptions& options)
      : KrylovIteration(space, options), r_(space), correction_(space) {}

  void begin(const Operator<double>& A, const Operator<double>* M, const Vector<double>& b,
             Vector<double>& x) override {
    require(M != nullptr, "refinement needs a preconditioner, which makes its corrections");
    set_system(A, M, b, x);
    if (ends_without_rhs(r_)) return;
    restart();
    if (norm_ > 0) measure_by(norm_);
    M_->begin(r_);
    record_norm();
  }

  // The residual follows from x, which its owner restores.
  void archive(StateArchive& state, const VectorArchive<double>& /*vectors*/) override {
    archive_iteration(state);
    outdated_ = state.restoring();
  }

 private:
  double restart() override {
    A_->residual(*b_, *x_, r_);
    norm_ = reliable(norm(r_), r_, correction_);
    size_ = norm_ > 0 && std::isfinite(norm_) ? std::exp2(std::clamp(std::ilogb(norm_), -1000, 1000)) : 1;
    combine(1 / size_, r_, 0, 0, r_, r_);
    outdated_ = false;
    return norm_;
  }

  void step() override {
    if (outdated_) restart();
    M_->apply(r_, correction_);
    axpy(size_, correction_, *x_);
    ++report_.iterations;
    restart();
    record_norm();
  }

  void record_norm() {
    record(relative(norm_));
    if (!std::isfinite(norm_)) end(SolveStatus::not_finite);
  }

  Vector<double> r_, correction_;  // r over size_
  double norm_ = 0;                // of the residual
  double size_ = 1;                // a power of two near it
  bool outdated_ = false;          // all of these
};

}  // namespace

std::unique_ptr<KrylovSolver<double>> make_refinement(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<Refinement>(space, options);
}

}  // namespace halocline
