// In which format rows are stored for products, and the choice of one by counts of the whole matrix, which is the same
// on any partition. Never by timing: a clock would change bits from run to run.
#pragma once

#include "lib/linalg/sparse/formats/storage_order.hpp"

namespace halocline::sparse {

// sell: slices of 32 rows, as wide as their longest; ell: all slices as wide as the longest row of the matrix; crs:
// compressed rows; four: four entries a row.
enum class FormatKind { automatic, sell, ell, crs, four };

// sigma: windows within which rows of slices are sorted by length. may_share: whether several threads of a GPU may
// share a row where the matrix has too few rows to occupy it; products with sums cannot.
struct MatrixFormat {
  FormatKind kind = FormatKind::automatic;
  Index sigma = 256;
  bool may_share = false;
};

struct ChosenFormat {
  FormatKind kind;        // not automatic
  StorageOrderPtr order;  // of the rows
  double fill;            // stored over used entries, long rows left out; 1 without entries
  int lanes = 1;          // that share a row: 4, 8 or 16 of compressed rows on GPUs, whose sums are joined in a tree
};

// What is wanted, or for `automatic`: compressed rows shared by lanes, where they may be and all devices are GPUs, of
// matrices with fewer than 300,000 rows; else slices with sigma = 256; with sigma = 1024 where these store more
// than 1.5 times the used entries; compressed rows where that does not help. Collective.
ChosenFormat choose_format(const DistCrs& a, const MatrixFormat& wanted);

// The most entries of a row, of all parts: of rows that are not long, and of all. Collective.
Index longest_short_row(const DistCrs& a);
Index longest_row(const DistCrs& a);

}  // namespace halocline::sparse
