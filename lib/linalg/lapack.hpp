// Dense linear algebra of the host by LAPACK, whatever library provides it. The one home of its calls. Matrices are
// row-major unless a function says otherwise.
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

}  // namespace halocline
