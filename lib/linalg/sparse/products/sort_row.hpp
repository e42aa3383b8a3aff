// sort_row: one row of a product by its columns, on the host.
#pragma once

#include <utility>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline::sparse {

// Copies `size` entries with distinct columns to where they belong, by ascending columns. Short rows, by ranks in
// vector registers, cost a few nanoseconds an entry; `room` serves long ones.
void sort_row(Index size, const LocalIndex* col, const double* val, LocalIndex* to_col, double* to_val,
              std::vector<std::pair<LocalIndex, double>>& room);

}  // namespace halocline::sparse
