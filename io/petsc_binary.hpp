// PETSc's binary files: sparse matrices and vectors, big-endian, several objects one after the other. Row lengths,
// columns and numbers of 64-bit builds are told by their first eight bytes.
//
// Every rank reads a block of rows. What is wrong with a file is a DeckError with file and byte, on all ranks that of
// the lowest rank.
#pragma once

#include <string>
#include <vector>

#include "io/triplets.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

struct PetscHeader {
  std::string path;
  bool matrix = false;  // else a vector
  int integer = 4;      // bytes of a number
  DataShape shape;
  Index data = 0;  // first byte behind the header: row lengths, or values of a vector
};

// Object number `object`, from 1; reads headers alone. Not collective.
PetscHeader petsc_header(const std::string& path, Index object);

// Entries of this rank's block of rows. Collective.
Triplets read_petsc_matrix(const Communicator& comm, const PetscHeader& header);
// Values of this rank's block of a vector. Collective.
std::vector<ColumnPiece> read_petsc_vector(const Communicator& comm, const PetscHeader& header);

}  // namespace halocline
