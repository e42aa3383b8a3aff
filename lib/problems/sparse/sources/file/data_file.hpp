// Data files by their format: headers, entries, and columns of values brought to the parts that own their rows.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "io/hdf5_matrix.hpp"
#include "io/matrix_market.hpp"
#include "io/petsc_binary.hpp"
#include "lib/base/array.hpp"
#include "lib/linalg/sparse/rows.hpp"
#include "lib/problems/sparse/sources/file/file_options.hpp"

namespace halocline::sparse {

struct DataFile {
  std::variant<MatrixMarketHeader, PetscHeader, Hdf5Header> header;
  const DataShape& shape() const;
  const std::string& path() const;
};

// Read headers alone; throw DeckError. Not collective.
DataFile open_matrix(const FileOptions& options);
DataFile open_vectors(const VectorFileOptions& options);

// This rank's share of a matrix. Collective.
Triplets read_matrix(const Communicator& comm, const DataFile& file);

// Values on rows, one array for every part of this rank.
using PartValues = std::vector<Array<double, 1>>;
// All columns of a file of vectors, on the parts that own the rows. Collective.
std::vector<PartValues> read_columns(const RowSpace& rows, const DataFile& file);

// Parts that begin at multiples of `chunk` rows and have entries in proportion to their weights. `mine`: what this rank
// has read. Collective; the same on all ranks.
Partition partition_by_entries(const Communicator& comm, Index rows, const Triplets& mine, Index chunk,
                               const std::vector<double>& weights);

}  // namespace halocline::sparse
