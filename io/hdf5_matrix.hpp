// Matrices and vectors in HDF5 files: a group with `indptr`, `indices`, `data` and `shape` (a dataset or an attribute),
// as scipy's compressed rows; a dataset of one index for a vector, of two, [row][column], for several.
//
// Every rank reads a block of rows. What is wrong with a file is a DeckError with file and dataset, on all ranks that
// of the lowest rank.
#pragma once

#include <string>
#include <vector>

#include "io/triplets.hpp"
#include "lib/base/view.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

struct Hdf5Header {
  std::string path, name;  // of the file; of the group or the dataset, absolute
  bool matrix = false;
  bool columns = false;  // of a vector: its dataset has two indices
  DataShape shape;
};

// Not collective.
Hdf5Header hdf5_matrix_header(const std::string& path, const std::string& group);
Hdf5Header hdf5_vector_header(const std::string& path, const std::string& dataset);

// Entries of some rows, with their numbers in the matrix. Not collective.
Triplets read_hdf5_rows(const Hdf5Header& header, const Range<1>& own);
// Values of some rows. Not collective.
std::vector<ColumnPiece> read_hdf5_columns(const Hdf5Header& header, const Range<1>& own);

// Entries of this rank's block of rows. Collective.
Triplets read_hdf5_matrix(const Communicator& comm, const Hdf5Header& header);
// Values of this rank's block of rows. Collective.
std::vector<ColumnPiece> read_hdf5_vector(const Communicator& comm, const Hdf5Header& header);

}  // namespace halocline
