#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "lib/krylov/hessenberg.hpp"
#include "lib/krylov/iteration.hpp"

namespace halocline {

namespace {

constexpr double worth_another_cycle = 0.9;  // of the residual: what a cycle that ended early must have left at most

// A V = V H holds for z_j = M^-1 v_j in place of v_j on the left. The newest basis vector is normalized at the start of
// the step that uses it. x is touched at the end of a cycle alone, and gets back what it was where that has not made
// the residual smaller, as rounding does with a singular system.
template <class T>
class Gmres final : public KrylovIteration<T> {
 public:
  Gmres(const VectorSpacePtr& space, const KrylovOptions& options)
      : KrylovIteration<T>(space, options), system_(options.restart) {}

  void begin(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x) override {
    // Numbers that are none may have come to places that no unknown uses, where operators leave them.
    if (report_.status == SolveStatus::not_finite) {
      basis_.clear();
      z_.reset();
    }
    this->set_system(A, M, b, x);
    scale_ = 0;
    before_ = none;
    if (M_ && !z_) z_ = std::make_unique<Vector<T>>(this->space_);
    make_basis(2);
    if (this->ends_without_rhs(basis_[0])) return;
    const double size = restart();
    if (M_) M_->begin(first_vector(size));
    record_norm(size);
  }

  // Preconditioned vectors are computed again, which gives the same bits where M depends on its argument alone.
  void archive(StateArchive& state, const VectorArchive<T>& vectors) override {
    this->archive_iteration(state);
    system_.archive(this->space_->comm(), state);
    state.scalar("gmres_next_norm", next_norm_);
    state.scalar("gmres_cycle_norm", cycle_norm_);
    state.scalar("gmres_scale", scale_);
    const int steps = system_.columns();
    make_basis(steps + 1);
    for (int j = 0; j <= steps; ++j) vectors.vector(("gmres_v" + std::to_string(j)).c_str(), basis_[j]);
    if (!state.restoring() || !M_) return;
    for (int j = 0; j < steps; ++j) precondition(j);
  }

 private:
  static constexpr int none = -1;
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();

  double restart() override {
    take_residual();
    if (before_ != none && !(next_norm_ < cycle_norm_)) {
      copy(basis_[before_], *this->x_);
      take_residual();
    }
    before_ = none;
    cycle_norm_ = next_norm_;
    system_.begin(next_norm_);
    return next_norm_;
  }

  void take_residual() {
    this->residual(basis_[1], basis_[0]);
    next_norm_ = this->reliable(norm(basis_[0]), basis_[0], basis_[1]);
  }

  void step() override {
    const int j = system_.columns();
    make_basis(j + 2);
    normalize(basis_[j]);
    if (M_) precondition(j);
    A_->apply(M_ ? *z_ : basis_[j], basis_[j + 1]);
    orthogonalize(j);
    ++report_.iterations;
    double column = next_norm_;
    for (const double h : above_) column = std::hypot(column, h);
    if (!std::isfinite(column)) {
      this->record(column);
      return this->end(SolveStatus::not_finite);
    }
    scale_ = std::max(scale_, column);
    if (!system_.add_column(above_, next_norm_, nothing())) return end_singular();
    if (next_norm_ <= nothing()) return end_invariant();
    this->record(this->relative(system_.residual()));
    const bool last = report_.iterations >= this->options_.max_iterations;
    if (report_.finished() || last || system_.columns() == this->options_.restart) end_cycle();
  }

  void precondition(int j) {
    if (j == 0) M_->keep_for(this);
    check_kept();
    M_->apply(basis_[j], *z_);
    M_->keep(j, *z_);
  }
  void check_kept() const {
    require(M_->keeps_for(this), "GMRES: another solver keeps with its preconditioner; each needs one of its own");
  }

  // Below this a number is what rounding leaves of zero, beside the largest column of the solve.
  double nothing() const { return 10 * epsilon * scale_; }

  void end_cycle() {
    const SolveStatus reason = report_.status;
    const double before = cycle_norm_, promised = system_.residual(), recursive = report_.residual;
    const bool sound = update_solution();
    if (reason == SolveStatus::converged && (sound || this->options_.confirm)) return;
    this->set_residual(this->relative(restart()));
    if (report_.finished()) return;
    if (reason == SolveStatus::converged && report_.residual <= this->allowed_gap * recursive) return this->end(reason);
    if (reason != SolveStatus::converged && reason != SolveStatus::running) return this->end(reason);
    if (!(cycle_norm_ < before) && promised < 0.5 * before) this->end(SolveStatus::stagnated);
  }

  // The space holds a vector that A takes to zero: another one cannot be had from it.
  void end_singular() {
    const double before = cycle_norm_;
    update_solution();
    record_norm(restart());
    if (!report_.finished() && cycle_norm_ > worth_another_cycle * before) this->end(SolveStatus::breakdown);
  }

  // The space holds the solution, but for rounding.
  void end_invariant() {
    const double before = cycle_norm_;
    update_solution();
    record_norm(restart());
    if (!report_.finished() && cycle_norm_ > 0.5 * before) this->end(SolveStatus::stagnated);
  }

  // What M is given, of norm 1 whatever the units of b; the residual where that has no norm.
  const Vector<T>& first_vector(double size) {
    if (!(size > 0) || !std::isfinite(1 / size)) return basis_[0];
    combine(1 / size, basis_[0], 0, 0, basis_[0], basis_[1]);
    return basis_[1];
  }

  void normalize(Vector<T>& v) { combine(1 / next_norm_, v, 0, 0, v, v); }

  // Adds what the cycle found. False: rounding may have spoiled that, so that its residual is to be computed.
  bool update_solution() {
    const auto [columns, sound] = system_.select(epsilon, nothing());
    if (columns == 0) return sound;
    // restart() takes the first two vectors, the combination those of the columns.
    before_ = std::max(columns, 2);
    make_basis(before_ + 1);
    copy(*this->x_, basis_[before_]);
    const std::vector<double> y = system_.solve(columns);
    if (M_) {
      check_kept();
      M_->add_kept(y, *this->x_);
    } else {
      multi_axpy<T>(y, std::span(pointers_).first(y.size()), *this->x_);
    }
    return sound;
  }

  // Makes the newest vector orthogonal to the j + 1 before it: coefficients to above_, its norm to next_norm_.
  void orthogonalize(int j) {
    above_.assign(static_cast<std::size_t>(j + 1), 0.0);
    if (this->options_.orthogonalization == Orthogonalization::modified) {
      modified_gram_schmidt(j);
    } else {
      classical_gram_schmidt_twice(j);
    }
  }

  void modified_gram_schmidt(int j) {
    Vector<T>& w = basis_[j + 1];
    for (int i = 0; i <= j; ++i) {
      multi_dot<T>(std::span(pointers_).subspan(i, 1), w, std::span(above_).subspan(i, 1));
      axpy(-above_[i], basis_[i], w);
    }
    next_norm_ = norm(w);
  }

  // The second pass also takes (w, w), from which the norm after it follows: two waits for sums, whatever j.
  void classical_gram_schmidt_twice(int j) {
    Vector<T>& w = basis_[j + 1];
    const auto before = std::span(pointers_).first(above_.size());
    multi_dot<T>(before, w, above_);
    subtract(above_, before, w);
    again_.resize(above_.size() + 1);
    multi_dot<T>(std::span(pointers_).first(again_.size()), w, again_);
    const double ww = again_.back();
    again_.pop_back();
    subtract(again_, before, w);
    double square = ww;
    for (std::size_t i = 0; i < again_.size(); ++i) {
      above_[i] += again_[i];
      square -= again_[i] * again_[i];
    }
    // Where the second pass took much, w is next to nothing and the difference inaccurate.
    next_norm_ = square > 0.5 * ww ? std::sqrt(square) : norm(w);
  }

  // w -= c_0 v_0 + c_1 v_1 + ...
  void subtract(const std::vector<double>& c, std::span<const Vector<T>* const> v, Vector<T>& w) {
    negative_.resize(c.size());
    for (std::size_t i = 0; i < c.size(); ++i) negative_[i] = -c[i];
    multi_axpy<T>(negative_, v, w);
  }

  void record_norm(double residual_norm) {
    this->record(this->relative(residual_norm));
    if (!std::isfinite(residual_norm)) this->end(SolveStatus::not_finite);
  }

  // At least so many basis vectors.
  void make_basis(int count) {
    while (static_cast<int>(basis_.size()) < count) basis_.emplace_back(this->space_);
    pointers_.clear();
    for (const Vector<T>& v : basis_) pointers_.push_back(&v);
  }

  using KrylovIteration<T>::A_, KrylovIteration<T>::M_, KrylovIteration<T>::report_;
  std::vector<Vector<T>> basis_;
  std::vector<const Vector<T>*> pointers_;  // to all of it
  std::unique_ptr<Vector<T>> z_;
  HessenbergSystem system_;  // of this cycle
  double next_norm_ = 0;     // of the newest vector, before it is normalized
  double cycle_norm_ = 0;    // of the residual at the start of the cycle
  double scale_ = 0;         // the largest norm of a column in this solve
  int before_ = none;        // the vector that holds x as it was before the last update
  std::vector<double> above_, again_, negative_;
};

}  // namespace

template <class T>
std::unique_ptr<KrylovSolver<T>> make_gmres(VectorSpacePtr space, const KrylovOptions& options) {
  return std::make_unique<Gmres<T>>(space, options);
}

template std::unique_ptr<KrylovSolver<double>> make_gmres(VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_gmres(VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
