// Triplets: entries of a matrix as files give them. Plain data: no MPI, no devices.
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

}  // namespace halocline
