// How long the pieces of an iteration take, apart from each other.
#pragma once

#include "lib/linalg/sparse/dist_matrix.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::sparse {

// Microseconds, of the slowest rank.
struct Measured {
  double dot = 0, product = 0, preconditioner = 0;  // the last one 0 where there is none
};
// The mean of so many of each, after one of each. Collective.
Measured measure_kernels(const Context& context, const DistMatrix& matrix, const Operator<double>* preconditioner,
                         Index times);

// Bytes a second that copies of all devices read and write, measured for 0.05 s; takes 128 MiB of a host meanwhile, 512
// of a GPU. Collective.
double all_copy_rates(const Context& context);

}  // namespace halocline::sparse
