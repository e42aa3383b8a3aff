// Products of distributed sparse matrices. A row of the result is made whole by its owner, its entries summed over the
// entries of A's row in ascending order: the same bits on any partition.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/sparse/dist_crs.hpp"
#include "lib/linalg/sparse/products/fetch_rows.hpp"

namespace halocline::sparse {

// Columns of a row ascending, or in the order in which they arise, where nobody needs them sorted.
enum class Order { sorted, as_they_arise };

// What the values of a product need besides its factors and its pattern.
struct ProductPlan {
  std::unique_ptr<RowFetch> fetch;                // of rows of B
  std::vector<Array<LocalIndex, 1>> column_of_b;  // of every part: from columns of the result; empty: the same
};

// C = A B; columns of A are the rows of B. Rows of `a` are sorted; those of `b` may be in any order. `keep`: gets what
// multiply_again() needs. Collective.
DistCrs multiply(const DistCrs& a, const DistCrs& b, Order order, ProductPlan* keep = nullptr);

// New values of c = A B, from matrices of the patterns that the plan was made with; the bits that multiply() gives.
// Collective.
void multiply_again(const ProductPlan& plan, const DistCrs& a, const DistCrs& b, DistCrs& c);

}  // namespace halocline::sparse
