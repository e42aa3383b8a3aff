// Dense and banded linear algebra of the host by LAPACK, whatever library provides it. The one home of its calls.
// Matrices are row-major unless a function says otherwise.
#pragma once

#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

struct PencilEigenvalues {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // vectors[j n + i]: component i of the vector of values[j]
};

// All solutions of a z = nu m z for symmetric a and symmetric positive definite m, n x n, z^T m z = 1. dsygvd, with
// `threads` threads where the library lets itself be told. NumericalError when m is not positive definite or the
// iteration fails.
PencilEigenvalues solve_pencil(Index n, std::vector<double> a, std::vector<double> m, int threads);

// L U = P A of an n x n matrix. dgetrf, dgetrs.
class DenseLu {
 public:
  explicit DenseLu(Index n, std::vector<double> a);  // NumericalError when singular
  Index size() const { return n_; }
  void solve(double* b) const;  // b becomes A^-1 b; safe to call from several threads at once

 private:
  Index n_;
  std::vector<double> factors_;
  std::vector<int> pivots_;
};

// The inverse of an n x n matrix, by rows or by columns as `a` is, whose columns `threads` threads share; its bits do
// not depend on them. dgetrf, dgetrs. NumericalError when singular to working precision: a pivot is at most 1e-15 times
// the largest entry.
std::vector<double> invert(Index n, std::vector<double> a, int threads = 1);

// The Moore-Penrose inverse of an n x n matrix, by rows or by columns as `a` is. Singular values of at most `least`
// times the largest count as zero. dgesdd. NumericalError when the iteration fails.
std::vector<double> pseudo_inverse(Index n, std::vector<double> a, double least);

// A square matrix of `below` diagonals below the main one and `above` above it, zero at first.
class BandedMatrix {
 public:
  BandedMatrix(Index size, Index below, Index above);
  Index size() const { return size_; }
  // Entry (row, column), which must lie in the band.
  double& at(Index row, Index column) { return entries_[column * height() + below_ + above_ + row - column]; }

 private:
  friend class BandedLu;
  // Of a column as LAPACK wants it: the first `below` entries are room for what row exchanges bring in.
  Index height() const { return 2 * below_ + above_ + 1; }

  Index size_, below_, above_;
  std::vector<double> entries_;
};

// L U = P A of a banded matrix. dgbtrf, dgbtrs.
class BandedLu {
 public:
  // NumericalError when singular to working precision: a pivot is at most 1e-15 times the largest entry.
  explicit BandedLu(BandedMatrix a);
  Index size() const { return factors_.size(); }
  // `columns` right-hand sides of size() numbers each, one behind the other, become solutions; safe to call from
  // several threads at once.
  void solve(double* b, Index columns = 1) const;

 private:
  BandedMatrix factors_;
  std::vector<int> pivots_;
};

}  // namespace halocline
