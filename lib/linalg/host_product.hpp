// Products of dense matrices on the host by loops of our own. A number's bits depend neither on threads nor on how the
// rows are divided among parts, which no library promises; and they are fast where a library does not know the machine.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

// c = a b + beta c for row-major a (m x k), b (k x n), c (m x n) whose rows lie lda, ldb, ldc numbers apart.
void host_multiply(int threads, Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb,
                   double beta, double* c, Index ldc);

}  // namespace halocline
