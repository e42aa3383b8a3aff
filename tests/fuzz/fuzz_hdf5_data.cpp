// Fuzz target: the input is what lies in the datasets of an HDF5 file: compressed rows and a dataset of values. What is
// read must lie within the sizes that the file tells. The library's own reading of broken files is no subject here.
//
// Bytes: kinds of numbers, lengths of indptr, indices and data, shape, extents of the values, then numbers.
#include <hdf5.h>

#include <string>
#include <vector>

#include "io/hdf5_matrix.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline {
namespace {

using fuzz::Bytes;
using fuzz::must;

std::vector<std::int64_t> numbers(Bytes& bytes, std::size_t count) {
  std::vector<std::int64_t> made(count);
  for (std::int64_t& value : made) value = bytes.number();
  return made;
}

void write_dataset(hid_t file, const char* name, hid_t kind, const std::vector<hsize_t>& extents,
                   const std::vector<std::int64_t>& values) {
  const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t set = H5Dcreate2(file, name, kind, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(set);
  H5Sclose(space);
}

void write_file(const std::string& path, Bytes& bytes) {
  static const hid_t kinds[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_U8BE};
  const auto kind = [&] { return kinds[bytes.next() % 5]; };
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  must(file >= 0);
  for (const char* name : {"indptr", "indices", "data", "shape"}) {
    const hid_t of_file = kind();
    const auto length = static_cast<std::size_t>(bytes.next() % 16);
    if (bytes.next() != 255) write_dataset(file, name, of_file, {length}, numbers(bytes, length));
  }
  const auto rows = static_cast<hsize_t>(bytes.next() % 8), columns = static_cast<hsize_t>(bytes.next() % 4);
  const bool flat = bytes.next() % 2 == 0;
  const hid_t of_file = kind();
  const auto values = numbers(bytes, rows * (flat ? 1 : columns));
  write_dataset(file, "values", of_file, flat ? std::vector<hsize_t>{rows} : std::vector<hsize_t>{rows, columns},
                values);
  H5Fclose(file);
}

void read_matrix(const Communicator& comm, const std::string& path) {
  const Hdf5Header header = hdf5_matrix_header(path, "/");
  const Triplets read = read_hdf5_matrix(comm, header);
  must(static_cast<Index>(read.row.size()) == header.shape.entries);
  must(read.row.size() == read.col.size() && read.row.size() == read.value.size());
  for (std::size_t n = 0; n < read.row.size(); ++n)
    must(read.row[n] >= 0 && read.row[n] < header.shape.rows && read.col[n] >= 0 && read.col[n] < header.shape.columns);
}

void read_values(const Communicator& comm, const std::string& path) {
  const Hdf5Header header = hdf5_vector_header(path, "values");
  Index values = 0;
  for (const ColumnPiece& piece : read_hdf5_vector(comm, header)) {
    const auto count = static_cast<Index>(piece.values.size());
    must(piece.column >= 0 && piece.column < header.shape.columns && piece.first >= 0 &&
         piece.first + count <= header.shape.rows);
    values += count;
  }
  must(values == header.shape.rows * header.shape.columns);
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  static const Communicator comm(fuzz::open_mpi());
  static const fuzz::Folder folder;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const std::string path = folder / "data.h5";
  fuzz::Bytes bytes(data, size);
  write_file(path, bytes);
  fuzz::refused([&] { read_matrix(comm, path); });
  fuzz::refused([&] { read_values(comm, path); });
  return 0;
}
