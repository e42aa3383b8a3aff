// Orders of rows that bring neighbors together, found on the host from the pattern of a matrix.
#pragma once

#include <span>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline::sparse {

// Another numbering of rows; without numbers it is the one that is there.
struct Renumbering {
  std::vector<Index> to;    // of a row its new number
  std::vector<Index> from;  // and back
  bool empty() const { return to.empty(); }
};

// Reverse Cuthill and McKee (Proc. ACM National Conf. 1969), every component begun at a far end of it (George, Liu,
// ACM Trans. Math. Softw. 5 (1979) 284-295), of the graph of entries (row[n], col[n]) of a square matrix, taken as
// symmetric; ties go to the lower row. Takes 16 bytes for an entry and 40 for a row.
Renumbering reverse_cuthill_mckee(Index rows, std::span<const Index> row, std::span<const Index> col);

// The same graph cut in halves, the nearer and the farther ones of a row at a far end, and these again, until pieces
// have 1024 rows: any run of numbers is compact, with a small surface. Halves are multiples of 1024 rows. Rows of a
// piece are numbered by their distance.
Renumbering bisection(Index rows, std::span<const Index> row, std::span<const Index> col);

}  // namespace halocline::sparse
