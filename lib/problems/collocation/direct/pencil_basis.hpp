// Eigenvectors of one-dimensional collocation on any mesh, with any ends and a coefficient c > 0 along the axis: the
// symmetric pencil K0^T W K2 z = nu K0^T W (1/c) K0 z, W the quadrature weights, section 6b of the method. Real,
// well-conditioned, and Z^T K0^T W (1/c) is the inverse of K0 Z.
#pragma once

#include <array>
#include <vector>

#include "lib/problems/collocation/axes/axis.hpp"
#include "mpi/communicator.hpp"

namespace halocline::collocation {

// Both matrices, 2n x 2n, before rounding errors of symmetry are taken out. `c`: at the 2n Gauss points.
struct PencilMatrices {
  std::vector<double> stiffness, mass;
};
PencilMatrices pencil_matrices(const Axis& axis, const std::vector<double>& c);

// Mode number h n + l (h = 0, 1; l < n) stands in component h at place l, see modes.hpp; place n holds none.
struct PencilBasis {
  Index n = 0, width = 0;          // width: mode_width(n)
  std::vector<double> values;      // [2][width]; places without a mode repeat another's
  std::vector<double> into[2][2];  // [q][h]: (n + 1) x width, equation q of node j to mode l
  std::vector<double> out[2][2];   // [h][slope]: (n + 1) x width, mode l to (v, w) of node j
};
// Computed on rank 0 and sent to all others, all eigenvectors in one broadcast: 16 n^2 numbers on every rank while the
// basis is made, 8 n^2 of these the basis itself, whatever the number of ranks. About 20 (2n)^3 operations by two
// threads, always, since the bits of LAPACK depend on their number. NumericalError when LAPACK fails. Collective.
PencilBasis pencil_basis(const Axis& axis, const std::vector<double>& c, const Communicator& comm);
// Of x (coefficient a) and of y (c): the first rank computes one, the last rank the other, at the same time.
std::array<PencilBasis, 2> pencil_bases(const Axis& x, const std::vector<double>& a, const Axis& y,
                                        const std::vector<double>& c, const Communicator& comm);
// Row j of the result is column j of `matrix` ((n + 1) x width): for products from the left.
std::vector<double> transposed(const std::vector<double>& matrix, Index n, Index width);

}  // namespace halocline::collocation
