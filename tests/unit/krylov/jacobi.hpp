// Test operators around Differences: columns scaled by unequal numbers, and sweeps of damped Jacobi as preconditioner.
// Kernel-file header.
#pragma once

#include <vector>

#include "gpu/launch.hpp"
#include "tests/unit/krylov/laplacian.hpp"

namespace halocline {

struct ProductBody {
  const double *a, *b;
  double* y;
  HALOCLINE_HD void operator()(Index i) const { y[i] = a[i] * b[i]; }
};

// y_i = a_i b_i
inline void multiply(const Vector<double>& a, const Vector<double>& b, Vector<double>& y) {
  const Team& team = y.space().team();
  team.each([&](int p) {
    launch(*team.executor(p), "multiply", Range<1>{{0}, {y.part(p).size()}},
           ProductBody{a.part(p).data, b.part(p).data, y.part(p).data});
  });
}

// A diag(1, 1.5, 2, 2.5, 3, 1, ...), A of Differences.
class ScaledColumns final : public Operator<double> {
 public:
  static double scale(Index column) { return 1 + 0.5 * static_cast<double>(column % 5); }
  explicit ScaledColumns(const Differences& A) : A_(A), scale_(A.space()), scaled_(A.space()) { A.set(scale_, scale); }
  void apply(const Vector<double>& x, Vector<double>& y) const override {
    multiply(scale_, x, scaled_);
    A_.apply(scaled_, y);
  }

 private:
  const Differences& A_;
  Vector<double> scale_;
  mutable Vector<double> scaled_;
};

// Sweeps of Jacobi from zero, damped by 0.8, for ScaledColumns: as many as `sweeps` says, which is taken in turn.
class JacobiSweeps final : public Operator<double> {
 public:
  JacobiSweeps(const Differences& differences, const ScaledColumns& A, double diagonal, std::vector<int> sweeps)
      : A_(A),
        factor_(differences.space()),
        rest_(differences.space()),
        part_(differences.space()),
        sweeps_(std::move(sweeps)) {
    differences.set(factor_, [diagonal](Index i) { return 0.8 / (diagonal * ScaledColumns::scale(i)); });
  }
  void apply(const Vector<double>& v, Vector<double>& z) const override {
    multiply(factor_, v, z);
    for (int sweep = 1; sweep < sweeps_[applied_ % sweeps_.size()]; ++sweep) {
      A_.apply(z, rest_);
      combine(1, v, -1, 0, v, rest_);
      multiply(factor_, rest_, part_);
      axpy(1, part_, z);
    }
    ++applied_;
  }

 private:
  const ScaledColumns& A_;
  Vector<double> factor_;
  mutable Vector<double> rest_, part_;
  std::vector<int> sweeps_;
  mutable std::size_t applied_ = 0;
};

}  // namespace halocline
