// Products of the rows of one part on the threads of a host.
#pragma once

#include "lib/linalg/sparse/crs.hpp"
#include "lib/linalg/sparse/factor_layout.hpp"

namespace halocline::sparse {

// C = A B. An entry is the sum over the entries of A's row, in their order, beginning with 0. Columns of a row come
// sorted or in the order in which they arise. Uses the executor's threads and waits for them.
Crs<double> host_product(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b, bool sorted);

// Values of a known product from others of A and B.
void host_product_again(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b,
                        const KnownProduct& c);

}  // namespace halocline::sparse
