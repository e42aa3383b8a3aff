// PrecisionShell: y = B x in double precision, B a multigrid cycle from zero in T: scales by a power of two, goes to T,
// cycles, and comes back. A preconditioner.
#pragma once

#include "lib/linalg/operator.hpp"
#include "lib/multigrid/hierarchy.hpp"

namespace halocline::multigrid {

template <class T>
class PrecisionShell final : public Operator<double> {
 public:
  // `hierarchy`: outlives the shell. `unknowns`: of the finest level, of all parts.
  PrecisionShell(Hierarchy<T>& hierarchy, double unknowns, CycleKind kind = CycleKind::v);

  // A power of two, which changes no digit: numbers of a vector of this Euclidean norm, divided by it, are about 1, the
  // largest at most sqrt(unknowns).
  double scale_of(double norm) const;

  // Fixes the scale for all following calls of apply(), by the residual that a solve begins from as the finest level
  // takes it: its cycles then need no sum. Without, or when r is zero or not finite, every cycle takes the norm of its
  // x.
  void begin(const Vector<double>& r) const override;
  double last_scale() const { return last_; }  // of apply()
  void apply(const Vector<double>& x, Vector<double>& y) const override;

 private:
  Hierarchy<T>* hierarchy_;
  double unknowns_;
  CycleKind kind_;
  mutable double scale_ = 0;  // 0: none is fixed
  mutable double last_ = 1;
};

}  // namespace halocline::multigrid
