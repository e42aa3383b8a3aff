// Fuzz target: the input is a data file, of Matrix Market or, behind a first byte "p", of PETSc. It is read as matrix
// and as vectors; what is read must lie within the sizes that the header tells.
#include <string>

#include "io/matrix_market.hpp"
#include "io/petsc_binary.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline {
namespace {

using fuzz::must;

void check(const Triplets& read, const DataShape& shape) {
  must(read.row.size() == read.col.size() && read.row.size() == read.value.size());
  for (std::size_t n = 0; n < read.row.size(); ++n)
    must(read.row[n] >= 0 && read.row[n] < shape.rows && read.col[n] >= 0 && read.col[n] < shape.columns);
}

void check(const std::vector<ColumnPiece>& read, const DataShape& shape) {
  Index values = 0;
  for (const ColumnPiece& piece : read) {
    const auto count = static_cast<Index>(piece.values.size());
    must(piece.column >= 0 && piece.column < shape.columns && piece.first >= 0 && piece.first + count <= shape.rows);
    values += count;
  }
  must(values == shape.rows * shape.columns);
}

void read_market(const Communicator& comm, const std::string& path) {
  const MatrixMarketHeader header = matrix_market_header(path);
  if (header.array) {
    check(read_matrix_market_array(comm, header), header.shape);
  } else {
    check(read_matrix_market(comm, header), header.shape);
  }
}

void read_petsc(const Communicator& comm, const std::string& path, Index object) {
  const PetscHeader header = petsc_header(path, object);
  if (header.matrix) {
    check(read_petsc_matrix(comm, header), header.shape);
  } else {
    check(read_petsc_vector(comm, header), header.shape);
  }
}

void run(std::string_view input) {
  static const Communicator comm(fuzz::open_mpi());
  static const fuzz::Folder folder;
  static fuzz::File file(folder, "data");
  const bool petsc = input.starts_with('p');
  file.set(petsc ? input.substr(1) : input);
  if (petsc) {
    for (const Index object : {1, 2}) fuzz::refused([&] { read_petsc(comm, file.path(), object); });
  } else {
    fuzz::refused([&] { read_market(comm, file.path()); });
  }
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
