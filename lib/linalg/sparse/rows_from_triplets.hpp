// rows_from_triplets: from entries as files give them to the rows of parts.
#pragma once

#include <vector>

#include "io/triplets.hpp"
#include "lib/linalg/sparse/global_rows.hpp"
#include "lib/linalg/sparse/rows.hpp"

namespace halocline::sparse {

// Entries travel to the owners of their rows. `mine`: what this rank has read; the pieces of all ranks, by ascending
// rank, are the file. Entries that occur several times are summed in the order of the file, zeros are kept, columns
// sorted. Rows outside of the space and negative columns are a defect. Collective; uses up what it is given.
std::vector<GlobalRows> rows_from_triplets(const Communicator& comm, const RowSpace& rows, Triplets mine);

}  // namespace halocline::sparse
