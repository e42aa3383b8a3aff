// Preconditioners that know one matrix alone: Jacobi, Jacobi with l1 weights, Chebyshev.
#pragma once

#include <memory>
#include <optional>

#include "lib/linalg/sparse/dist_matrix.hpp"

namespace halocline::sparse {

// y = diag(w) x with w_i = min(omega, bound |a_ii| / sum_j |a_ij|) / a_ii. {1, 0} is Jacobi's method, {1, 1} that with
// l1 weights (Baker, Falgout, Kolev, Yang, SIAM J. Sci. Comput. 33 (2011) 2864-2887).
struct RowWeights {
  double omega = 1;
  double bound = 0;  // 0: none
};

// `a` is the matrix that `matrix` was made from; it may be gone afterwards. All diagonals differ from zero. Collective.
std::unique_ptr<Operator<double>> make_jacobi(const DistCrs& a, const DistMatrix& matrix, const RowWeights& weights);

// A polynomial of degree `degree` in diag(w) A: Chebyshev of the fourth kind on (0, Lambda] (Lottes, Numer. Linear
// Algebra Appl. 30 (2023) e2518), Lambda the largest |w_i| sum_j |a_ij|. For symmetric matrices; `matrix` outlives it.
// Collective.
std::unique_ptr<Operator<double>> make_chebyshev(const DistCrs& a, const DistMatrix& matrix, const RowWeights& weights,
                                                 int degree);

}  // namespace halocline::sparse
