// Matrix Market files, Boisvert, Pozo, Remington, NISTIR 5935 (1996): matrices as `coordinate`, vectors as `array`;
// real, integer or pattern; general, symmetric or skew-symmetric, which are expanded.
//
// Every rank reads a byte range, from the first line that begins in it. What is wrong with a file is a DeckError with
// file and line, on all ranks that of the lowest line.
#pragma once

#include <string>
#include <vector>

#include "io/triplets.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

struct MatrixMarketHeader {
  enum class Field { real, integer, pattern };
  enum class Symmetry { general, symmetric, skew };
  std::string path;
  bool array = false;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  DataShape shape;
  Index data = 0;   // first byte behind the line of sizes
  Index bytes = 0;  // of the file
};

// Reads the lines up to the sizes alone, a few kilobytes; not collective.
MatrixMarketHeader matrix_market_header(const std::string& path);

// Entries of this rank's share of the file, counted from 0, symmetric ones beside each other. Collective.
Triplets read_matrix_market(const Communicator& comm, const MatrixMarketHeader& header);
// Values of this rank's share of an array. Collective.
std::vector<ColumnPiece> read_matrix_market_array(const Communicator& comm, const MatrixMarketHeader& header);

}  // namespace halocline
