// NullSpace: constants on disjoint sets of unknowns, which a singular operator maps to zero, and their removal.
#pragma once

#include "lib/linalg/operator.hpp"

namespace halocline {

class NullSpace {
 public:
  // `sets`: of every unknown the number of its set, 1 ... count, or 0 where it belongs to none. No set is empty.
  // Collective.
  NullSpace(Vector<double> sets, int count);
  int count() const { return static_cast<int>(sizes_.size()); }
  const Vector<double>& sets() const { return sets_; }

  // Takes from the unknowns of every set their mean; returns the Euclidean norm of what was taken. One sum for every
  // eight sets, exact over chunks as all sums of vectors. Collective.
  double project(Vector<double>& x) const;

 private:
  std::vector<double> sums(const Vector<double>& x) const;

  Vector<double> sets_;
  std::vector<double> sizes_;
};

// A preconditioner without the constants: y = M x, or y = x where there is no M, projected.
class ProjectedOperator final : public Operator<double> {
 public:
  // All outlive it; M may be null.
  ProjectedOperator(const Operator<double>* M, const NullSpace& space) : M_(M), space_(space) {}
  void apply(const Vector<double>& x, Vector<double>& y) const override;
  void begin(const Vector<double>& r) const override;

 private:
  const Operator<double>* M_;
  const NullSpace& space_;
};

}  // namespace halocline
