// Products of the rows of one part on the threads of a host.
#pragma once

#include "lib/linalg/sparse/crs.hpp"

namespace halocline::sparse {

// Rows of B under the local column numbers of A: fetched ones below, the part's own, fetched ones above.
struct FactorRows {
  CrsView<double> own, fetched;
  Index below;    // how many of the fetched rows lie below the own ones
  Index columns;  // local columns of B
};

// C = A B. An entry is the sum over the entries of A's row, in their order, beginning with 0. Columns of a row come
// sorted or in the order in which they arise. Uses the executor's threads and waits for them.
Crs<double> host_product(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b, bool sorted);

// The pattern of a product that is known already; `column_of_b`: from its columns to those of B, null where they are
// the same.
struct KnownProduct {
  View<const Index, 1> ptr;
  View<const LocalIndex, 1> col;
  const LocalIndex* column_of_b;
  View<double, 1> val;
};
// Its values from others of A and B.
void host_product_again(const ExecutorPtr& executor, const CrsView<double>& a, const FactorRows& b,
                        const KnownProduct& c);

}  // namespace halocline::sparse
