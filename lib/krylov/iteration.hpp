// What the methods of this folder share: the system, the report, the slices; and what the two BiCGSTABs share.
#pragma once

#include "lib/krylov/krylov.hpp"

namespace halocline {

class KrylovIteration : public KrylovSolver {
 public:
  bool iterate(int n) final;
  const SolveReport& report() const final { return report_; }

 protected:
  KrylovIteration(VectorSpacePtr space, const KrylovOptions& options) : options_(options), space_(std::move(space)) {}

  // Remembers the system and empties the report.
  void set_system(const LinearOperator& A, const LinearOperator* M, const Vector& b, Vector& x);
  // One iteration; it counts itself in the report.
  virtual void step() = 0;
  // r = b - A x; `product` is for A x.
  void residual(Vector& product, Vector& r) const;
  void set_residual(double residual);
  // The same, also into the history.
  void record(double residual);
  bool finished() const;

  KrylovOptions options_;
  VectorSpacePtr space_;
  const LinearOperator* A_ = nullptr;
  const LinearOperator* M_ = nullptr;
  const Vector* b_ = nullptr;
  Vector* x_ = nullptr;
  SolveReport report_;
};

// The recurrence of BiCGSTAB: residual r, shadow residual r0, direction p, v = A M^-1 p, t = A M^-1 s, and
// rho = (r0, r). Between steps beta is what the next direction p = r + beta (p - omega v) takes, 0 for p = r.
class BiCgStabIteration : public KrylovIteration {
 public:
  void archive(StateArchive& state, const VectorArchive& vectors) override;

 protected:
  BiCgStabIteration(const VectorSpacePtr& space, const KrylovOptions& options)
      : KrylovIteration(space, options), r_(space), r0_(space), p_(space), v_(space), t_(space) {}

  // Begins anew from the present x.
  void restart();
  // After a breakdown, which says nothing about x unless x is not finite any more, which no restart can mend. False:
  // gave up.
  bool restart_if_sensible();
  static bool usable(double factor);

  Vector r_, r0_, p_, v_, t_;
  double rho_ = 0, beta_ = 0, omega_ = 0;
};

}  // namespace halocline
