// Rows of a file in another order than the file's: finding it, and values brought from one order to the other.
#pragma once

#include "lib/linalg/sparse/order.hpp"
#include "lib/problems/sparse/sources/file/data_file.hpp"
#include "lib/problems/sparse/sources/row_numbers.hpp"

namespace halocline::sparse {

// An order of the entries that all ranks have read, found on rank 0, known to all; `mine` is renumbered. `order`: rcm
// or bisection. Collective.
Renumbering reorder(const Communicator& comm, Index rows, RowOrder order, Triplets& mine);

RowNumbers numbers_of(Renumbering renumbering);

// The values of every row, moved to the place that `number` gives it; as they are where there is none. Collective.
PartValues moved(const RowSpace& rows, const std::function<Index(Index)>& number, PartValues values);

}  // namespace halocline::sparse
