// InnerBicgstab: BiCGSTAB on the Schur complement of block_schur.hpp with vectors of T, for inner solves of moderate
// accuracy. Sums are exact over lines and in double, so that results do not depend on the partition.
#pragma once

#include <vector>

#include "lib/problems/collocation/schur/block_schur.hpp"

namespace halocline::collocation {

template <class T>
class InnerBicgstab {
 public:
  explicit InnerBicgstab(BlockSchur<T>& schur);

  // Right-hand side b' and, after solve(), the solution; one pointer per part of this rank.
  typename BlockSchur<T>::Out rhs() { return b_.pointers; }
  typename BlockSchur<T>::In solution() const { return x_.read; }

  // From x_0 = b', until the residual norm is at most `tolerance` times that of b', or `most` iterations, or breakdown.
  // Returns the iterations done. Collective.
  int solve(Index most, double tolerance);

 private:
  struct Values {
    std::vector<Array<T, 1>> arrays;
    std::vector<T*> pointers;
    std::vector<const T*> read;  // the same
  };
  Values make() const;
  // y = a x + b y + c z; z may be y.
  void combine(double a, const Values& x, double b, double c, const Values& z, Values& y) const;
  void copy(const Values& from, Values& to) const;
  std::array<double, 2> dots(const Values& x, const Values& y) const;
  std::array<double, 2> update(double alpha, double omega);
  Dots apply(const Values& x, Values& y, const Values& w) const { return schur_.product(x.read, y.pointers, w.read); }

  BlockSchur<T>& schur_;
  Values b_, x_, r_, r0_, p_, v_, t_;
};

}  // namespace halocline::collocation
