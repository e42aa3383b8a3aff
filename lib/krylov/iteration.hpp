// What the methods of this folder share: the system, the report and its checks, the slices; and what the two BiCGSTABs
// share.
#pragma once

#include <limits>

#include "lib/krylov/device/scalar_kernels.hpp"
#include "lib/krylov/krylov.hpp"

namespace halocline {

template <class T>
class KrylovIteration : public KrylovSolver<T> {
 public:
  void set_limits(double tolerance, Index max_iterations) final;
  bool iterate(int n) final;
  const SolveReport& report() const final { return report_; }

 protected:
  static constexpr double allowed_gap = 10;  // between the true residual and the recursive one

  KrylovIteration(VectorSpacePtr space, const KrylovOptions& options);

  // One iteration; it counts itself in the report.
  virtual void step() = 0;
  // At most `most` of them, at least one, none after the solve has ended; returns their number. For methods that can
  // have several under way.
  virtual int steps(int most) {
    static_cast<void>(most);
    step();
    return 1;
  }
  // Begins anew from the present x; returns the norm of the residual, computed from x.
  virtual double restart() = 0;

  // Remembers the system and empties the report.
  void set_system(const Operator<T>& A, const Operator<T>* M, const Vector<T>& b, Vector<T>& x);
  // Takes the norm of b. True: b is zero, too small to be squared or not finite, and the solve has ended.
  bool ends_without_rhs(Vector<T>& scratch);
  // Whether the root of a sum of squares is the norm; and the norm of r, which a method has as `measured`, the root of
  // a sum of squares. Where squares have left the range of T, it is measured once more with r scaled by a power of two,
  // which changes `scratch`. 0: r is zero.
  static bool in_range(double measured);
  static double reliable(double measured, const Vector<T>& r, Vector<T>& scratch);
  // The same and the options for iterations on a device, and how many of these it may begin before the host has seen
  // the first: stagnation is seen by the host alone.
  krylov_kernels::Limits limits() const;
  int launched_ahead() const;
  // Whether squares of the newest residual leave the range of T, so that quotients of sums say nothing.
  bool below_range() const;
  // Whether a step of conjugate gradients has its scalars, else ends: `finite`: its sums are; `ru`: (r, u); `positive`:
  // this and the products with A are; `alpha`: the length of the step.
  bool has_step(bool finite, double ru, bool positive, double alpha);
  // Whether the next iteration is likely to end the solve: the residual shrinks as it has in the last one, and half as
  // much again.
  bool may_end_next() const;
  // r = b - A x; `product` is for A x.
  void residual(Vector<T>& product, Vector<T>& r) const;
  // Residuals are relative to this from now on, not to the norm of b.
  void measure_by(double norm) { measure_ = norm; }
  double relative(double residual_norm) const { return measure_ > 0 ? residual_norm / measure_ : residual_norm; }
  // Takes a relative residual into the report; converged or running thereafter.
  void set_residual(double residual);
  // The same for a new iterate: also into the history, with the checks of the options.
  void record(double residual);
  void end(SolveStatus reason) { report_.status = reason; }
  // Saves or restores what is known here.
  void archive_iteration(StateArchive& state);

  KrylovOptions options_;
  VectorSpacePtr space_;
  const Operator<T>* A_ = nullptr;
  const Operator<T>* M_ = nullptr;
  const Vector<T>* b_ = nullptr;
  Vector<T>* x_ = nullptr;
  SolveReport report_;

 private:
  bool has_stagnated() const;
  void confirm();
  void check_solution();

  double measure_ = 0;        // the norm of b, unless something else was chosen
  bool reopened_ = false;     // restored where it had converged by a larger tolerance
  bool begun_again_ = false;  // since the recursive residual had left the true one
};

// The recurrence of BiCGSTAB: residual r, shadow residual r0, direction p, v = A M^-1 p, t = A M^-1 s, and
// rho = (r0, r). Between steps beta is what the next direction p = r + beta (p - omega v) takes, 0 for p = r.
template <class T>
class BiCgStabIteration : public KrylovIteration<T> {
 public:
  void archive(StateArchive& state, const VectorArchive<T>& vectors) override;

 protected:
  BiCgStabIteration(const VectorSpacePtr& space, const KrylovOptions& options)
      : KrylovIteration<T>(space, options), r_(space), r0_(space), p_(space), v_(space), t_(space) {}

  double restart() final;
  // After a breakdown, which says nothing about x unless x is not finite any more, which no restart can mend. `sum`: of
  // the step that broke down; whether it is finite tells one reason from the other. False: gave up.
  bool restart_if_sensible(double sum);
  static bool usable(double factor);
  // For krylov_kernels::next_sums().
  double rounding() const { return 1e3 * std::numeric_limits<T>::epsilon() * first_norm_; }

  using KrylovIteration<T>::A_, KrylovIteration<T>::M_, KrylovIteration<T>::x_, KrylovIteration<T>::report_;
  Vector<T> r_, r0_, p_, v_, t_;
  double rho_ = 0, beta_ = 0, omega_ = 0;
  double first_norm_ = 0;  // of the residual at the last restart, which r0 is
};

}  // namespace halocline
