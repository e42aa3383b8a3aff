// Rows of a file in another order than the file's: finding it, and values brought from one order to the other.
#pragma once

#include "lib/linalg/sparse/order.hpp"
#include "lib/problems/sparse/sources/file/data_file.hpp"

namespace halocline::sparse {

// Reverse Cuthill-McKee of the entries that all ranks have read, found on rank 0, known to all; `mine` is renumbered.
// Collective.
Renumbering reorder(const Communicator& comm, Index rows, Triplets& mine);

// The values of every row, moved to the place that `number` gives it; as they are where there are no numbers.
// Collective.
PartValues moved(const RowSpace& rows, const std::vector<Index>& number, PartValues values);

}  // namespace halocline::sparse
