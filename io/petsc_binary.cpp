#include "io/petsc_binary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "io/collective.hpp"
#include "io/input_file.hpp"
#include "lib/base/error.hpp"
#include "lib/base/view.hpp"

namespace halocline {

namespace {

constexpr Index matrix_id = 1211216, vector_id = 1211214;

// A big-endian number of 4 bytes (signed) or 8.
Index integer_at(const unsigned char* bytes, int width) {
  std::uint64_t value = 0;
  for (int n = 0; n < width; ++n) value = value << 8 | bytes[n];
  if (width == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<Index>(value);
}

std::vector<unsigned char> bytes_of(const InputFile& file, Index at, Index count) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
  file.read(at, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::vector<Index> integers(const InputFile& file, Index at, Index count, int width) {
  const auto bytes = bytes_of(file, at, count * width);
  std::vector<Index> made(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < made.size(); ++n)
    made[n] = integer_at(bytes.data() + n * static_cast<std::size_t>(width), width);
  return made;
}

std::vector<double> numbers(const InputFile& file, Index at, Index count) {
  const auto bytes = bytes_of(file, at, count * 8);
  std::vector<double> made(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < made.size(); ++n) {
    made[n] = std::bit_cast<double>(integer_at(bytes.data() + n * 8, 8));
    if (!std::isfinite(made[n])) file.refuse_byte(at + static_cast<Index>(n) * 8, "a value is not finite");
  }
  return made;
}

// Bytes of the object behind its header; header sizes are within what can be counted, or it does not fit.
Index body_of(const InputFile& file, Index at, const PetscHeader& h) {
  const DataShape& s = h.shape;
  const Index left = file.size() - h.data;
  const double wanted = h.matrix ? static_cast<double>(s.rows) * h.integer +
                                       static_cast<double>(s.entries) * static_cast<double>(h.integer + 8)
                                 : static_cast<double>(s.rows) * 8;
  if (wanted > static_cast<double>(left))
    file.refuse_byte(at, "an object of " + std::to_string(s.rows) + " rows and " + std::to_string(s.entries) +
                             " entries begins here, more than the file has room for; it is cut short");
  return h.matrix ? s.rows * h.integer + s.entries * (h.integer + 8) : s.rows * 8;
}

PetscHeader header_at(const InputFile& file, Index at) {
  PetscHeader h;
  h.path = file.path();
  if (file.size() - at < 8) file.refuse_byte(at, "expected an object of PETSc; the file ends here");
  const auto start = bytes_of(file, at, 8);
  Index id = integer_at(start.data(), 4);
  if (id == 0) {
    h.integer = 8;
    id = integer_at(start.data(), 8);
  }
  if (id != matrix_id && id != vector_id)
    file.refuse_byte(at, "expected a matrix (1211216) or a vector (1211214) of PETSc, found " + std::to_string(id));
  h.matrix = id == matrix_id;
  const Index fields = h.matrix ? 3 : 1, sizes = at + h.integer;
  h.data = sizes + fields * h.integer;
  if (h.data > file.size()) file.refuse_byte(file.size(), "the file ends inside of a header; it is cut short");
  const auto size = integers(file, sizes, fields, h.integer);
  h.shape = h.matrix ? DataShape{size[0], size[1], size[2]} : DataShape{size[0], 1, size[0]};
  if (h.matrix && h.shape.entries == -1) file.refuse_byte(at, "a dense matrix of PETSc; sparse ones are solved here");
  if (h.shape.rows < 0 || h.shape.columns < 0 || h.shape.entries < 0)
    file.refuse_byte(sizes, "a negative size of an object of PETSc");
  return h;
}

Range<1> block_of(const Communicator& comm, Index rows) {
  const Index parts = comm.size(), part = comm.rank();
  const auto bound = [&](Index p) { return rows / parts * p + std::min(p, rows % parts); };
  return {{bound(part)}, {bound(part + 1)}};
}

}  // namespace

PetscHeader petsc_header(const std::string& path, Index object) {
  const InputFile file(path);
  Index at = 0;
  for (Index number = 1;; ++number) {
    if (number > 1 && at == file.size())
      throw DeckError(path + ": has " + std::to_string(number - 1) + (number == 2 ? " object" : " objects") +
                      "; object " + std::to_string(object) + " is asked for");
    const PetscHeader header = header_at(file, at);
    const Index body = body_of(file, at, header);
    if (number == object) {
      if (header.data + body < file.size()) header_at(file, header.data + body);  // what follows is an object too
      return header;
    }
    at = header.data + body;
  }
}

Triplets read_petsc_matrix(const Communicator& comm, const PetscHeader& header) {
  require(header.matrix, "read_petsc_matrix: the object is a vector");
  const DataShape& s = header.shape;
  const Range<1> own = block_of(comm, s.rows);
  std::vector<Index> lengths;
  Index mine = 0;
  on_all_ranks(comm, [&] {
    const InputFile file(header.path);
    const Index at = header.data + own.lo[0] * header.integer;
    lengths = integers(file, at, own.size(), header.integer);
    for (std::size_t n = 0; n < lengths.size(); ++n) {
      if (lengths[n] < 0 || lengths[n] > s.columns)
        file.refuse_byte(at + static_cast<Index>(n) * header.integer,
                         "row " + std::to_string(own.lo[0] + static_cast<Index>(n)) + " has " +
                             std::to_string(lengths[n]) + " entries");
      mine += lengths[n];
    }
  });
  Index all = mine;
  comm.sum(std::span(&all, 1));
  if (all != s.entries)
    throw DeckError(header.path + ": byte " + std::to_string(header.data) + ": the rows have " + std::to_string(all) +
                    " entries, the header promises " + std::to_string(s.entries));
  const Index before = comm.exclusive_scan(mine);
  Triplets made;
  on_all_ranks(comm, [&] {
    const InputFile file(header.path);
    const Index columns = header.data + s.rows * header.integer;
    made.col = integers(file, columns + before * header.integer, mine, header.integer);
    made.value = numbers(file, columns + s.entries * header.integer + before * 8, mine);
    made.row.reserve(static_cast<std::size_t>(mine));
    for (std::size_t n = 0; n < lengths.size(); ++n)
      made.row.insert(made.row.end(), static_cast<std::size_t>(lengths[n]), own.lo[0] + static_cast<Index>(n));
    for (std::size_t n = 0; n < made.col.size(); ++n)
      if (made.col[n] < 0 || made.col[n] >= s.columns)
        file.refuse_byte(columns + (before + static_cast<Index>(n)) * header.integer,
                         "column " + std::to_string(made.col[n]) + " of row " + std::to_string(made.row[n]) +
                             " lies outside of " + std::to_string(s.rows) + " x " + std::to_string(s.columns));
  });
  return made;
}

std::vector<ColumnPiece> read_petsc_vector(const Communicator& comm, const PetscHeader& header) {
  require(!header.matrix, "read_petsc_vector: the object is a matrix");
  const Range<1> own = block_of(comm, header.shape.rows);
  ColumnPiece made{0, own.lo[0], {}};
  on_all_ranks(comm, [&] {
    const InputFile file(header.path);
    made.values = numbers(file, header.data + own.lo[0] * 8, own.size());
  });
  return {made};
}

}  // namespace halocline
