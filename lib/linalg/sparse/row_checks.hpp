// Checks of a matrix before it is solved: rows as they came from a source or a file.
#pragma once

#include <vector>

#include "lib/linalg/sparse/global_rows.hpp"
#include "lib/linalg/sparse/row_checks_kernels.hpp"
#include "lib/linalg/sparse/rows.hpp"

namespace halocline::sparse {

// Of all rows of all ranks; `of_parts`: the rows of every part of this rank. Collective.
RowFindings check_rows(const RowSpace& rows, const std::vector<GlobalRows>& of_parts);

// Of rows in groups of `group`, numbered from 0: how many have the columns of the row before in their group, as rows of
// a system of equations do. Where a part begins inside a group, its first row does not count. Collective.
Index repeated_rows(const RowSpace& rows, const std::vector<GlobalRows>& of_parts, Index group);

// The first entry of a row that is not finite: its column; -1: none. For a row of this rank's part `part`.
Index column_not_finite(const RowSpace& rows, const std::vector<GlobalRows>& of_parts, int part, Index row);

// Rows without entries get a 1 on their diagonal.
void fill_empty_rows(const RowSpace& rows, std::vector<GlobalRows>& of_parts);

// All entries change sign.
void negate(std::vector<GlobalRows>& of_parts);

}  // namespace halocline::sparse
