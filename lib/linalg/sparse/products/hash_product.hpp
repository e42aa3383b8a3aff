// Products of the rows of one part by hash tables, for GPUs: the bits of host_product.hpp, in the same order.
//
// Rows are sorted into bins by a bound of their entries; a table in shared memory serves a row, whose entries are
// counted first and then summed. Tables are chosen for half the bound, which most rows of a Galerkin product keep well
// below; a row that fills its table is done again with the next larger one. The tables of the largest rows lie in the
// device's memory.
#pragma once

#include "lib/linalg/sparse/crs.hpp"
#include "lib/linalg/sparse/factor_layout.hpp"

namespace halocline::sparse {

// C = A B, as host_product(). The executor runs block kernels: a GPU, or a host in a test that includes
// cuda/spgemm_hash.cu. Waits for the device.
Crs<double> hash_product(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b, bool sorted);

// Values of a known product from others of A and B. Waits for the device.
void hash_product_again(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b,
                        const KnownProduct& c);

}  // namespace halocline::sparse
