// Fuzz target: the input says what stands in a field file of an earlier run and in the file of its points, both of
// HDF5, as decks name them for `data`. Fields that can be opened have values that can be read. What HDF5 makes of bytes
// that are no file of its own is no subject here.
#include <hdf5.h>

#include <array>
#include <string>
#include <vector>

#include "io/raster/raster_file.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline {
namespace {

using fuzz::Bytes;
using fuzz::must;

// Datasets whose extents are huge have no values on the disk.
void add(hid_t where, const char* name, Bytes& bytes, std::vector<hsize_t> extents) {
  const int what = bytes.next();
  if (what == 255) return;
  if (what >= 200) extents.assign(static_cast<std::size_t>(what % 5), static_cast<hsize_t>(bytes.number()));
  static const hid_t kinds[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE, H5T_STD_U8BE, H5T_C_S1};
  const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t made = space < 0 ? -1
                               : H5Dcreate2(where, name, kinds[what >= 100 ? what % 5 : 0], space, H5P_DEFAULT,
                                            H5P_DEFAULT, H5P_DEFAULT);
  hsize_t values = 1;
  for (const hsize_t n : extents) values *= n < 1000 ? n : 1000;
  if (made >= 0 && values < 1000 && what % 5 != 4) {
    std::vector<double> numbers(values);
    for (double& number : numbers) number = static_cast<double>(bytes.number());
    H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  }
  if (made >= 0) H5Dclose(made);
  if (space >= 0) H5Sclose(space);
}

void add_attribute(hid_t where, const char* name, hid_t type, hid_t space, const void* values) {
  const hid_t made = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (made >= 0) H5Awrite(made, type, values), H5Aclose(made);
  H5Sclose(space);
}

void add_numbers(hid_t where, const char* name, Bytes& bytes) {
  const int what = bytes.next();
  if (what == 255) return;
  std::array<double, 8> values{};
  for (std::size_t n = 0; n < 3; ++n) values[n] = static_cast<double>(bytes.number());
  const hsize_t count = what < 224 ? 3 : static_cast<hsize_t>(what % 8);
  add_attribute(where, name, H5T_NATIVE_DOUBLE,
                what == 254 ? H5Screate(H5S_NULL) : H5Screate_simple(1, &count, nullptr), values.data());
}

hid_t make_file(const std::string& path) {
  static const hid_t access = [] {
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(list, false, true);
    return list;
  }();
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  must(file >= 0);
  return file;
}

void write_fields(const std::string& path, Bytes& bytes) {
  const hid_t file = make_file(path);
  const int what = bytes.next();
  const hid_t top = H5Gcreate2(file, what == 255 ? "Other" : "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool image = what % 2 == 0;
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 16);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const char name[2][16] = {"ImageData", "UnstructuredGri"};
  add_attribute(top, "Type", what == 254 ? H5T_NATIVE_DOUBLE : type, H5Screate(H5S_SCALAR), name[image ? 0 : 1]);
  H5Tclose(type);
  add_numbers(top, "Origin", bytes);
  add_numbers(top, "Spacing", bytes);
  const hid_t group = H5Gcreate2(top, what % 4 < 2 ? "CellData" : "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  add(group, "u", bytes, image ? std::vector<hsize_t>{1, 2, 3} : std::vector<hsize_t>{6});
  H5Gclose(group);
  H5Gclose(top);
  H5Fclose(file);
}

void write_points(const std::string& path, Bytes& bytes) {
  const hid_t file = make_file(path);
  const hid_t nodes = H5Gcreate2(file, "nodes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t counts[3] = {3, 2, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) add(nodes, std::string(1, "xyz"[axis]).c_str(), bytes, {counts[axis]});
  H5Gclose(nodes);
  add(file, "Points", bytes, {6, 3});
  H5Fclose(file);
}

void check(const RasterRequest& request) {
  const auto file = open_raster(request);
  RasterWindow all;
  Index values = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    must(file->extent[axis] >= 1);
    if (file->extent[axis] > 1000) return;
    all.high[axis] = std::min<Index>(file->extent[axis], 20);
    values *= all.high[axis];
  }
  must(static_cast<Index>(file->read(all).size()) == values);
}

void run(Bytes bytes) {
  static const MPI_Comm mpi = fuzz::open_mpi();  // HDF5 may ask for it
  static const fuzz::Folder folder;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  must(mpi != MPI_COMM_NULL);
  const std::string fields = folder / "fields_0001.vtkhdf", table = folder / "values.h5";
  const bool plain = bytes.next() % 8 == 0;
  if (plain) {
    const hid_t file = make_file(table);
    add(file, "u", bytes, {2, 3});
    H5Fclose(file);
    fuzz::refused([&] { check({table, "u", "", ""}); });
  } else {
    write_fields(fields, bytes);
    write_points(folder / "fields_grid.h5", bytes);
    fuzz::refused([&] { check({fields, "", "u", ""}); });
  }
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::run({data, size});
  return 0;
}
