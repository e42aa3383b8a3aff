// Triplets and ColumnPiece: entries of a matrix, and values of vectors, as files give them. Plain data: no MPI, no
// devices.
#pragma once

#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

// Entry n is value[n] at (row[n], col[n]), counted from 0; in the order of the file, in which an entry may occur
// several times.
struct Triplets {
  std::vector<Index> row, col;
  std::vector<double> value;
};

// Values of rows `first`, first + 1, ... of column number `column` of a file of vectors.
struct ColumnPiece {
  Index column = 0, first = 0;
  std::vector<double> values;
};

// What a file of a matrix or of vectors promises.
struct DataShape {
  Index rows = 0, columns = 0;
  Index entries = 0;      // that the file stores; of vectors rows x columns
  bool mirrored = false;  // entries off the diagonal stand for two
};

}  // namespace halocline
