// Fuzz target: checkpoints, behind a first byte. "s": the input changes a sealed file, which must be noticed, whatever
// changes. "b": the input is such a file. "h": the input says what stands in a file of HDF5, which is sealed and then
// restored: it is refused with words, or gives the values that were written. What HDF5 makes of bytes that are no file
// of its own is no subject here; the seal keeps them away from it.
#include <hdf5.h>

#include <array>
#include <string>
#include <vector>

#include "io/file_checksum.hpp"
#include "io/files.hpp"
#include "io/output/checkpoint.hpp"
#include "io/output/seal.hpp"
#include "lib/base/array.hpp"
#include "lib/base/executor.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline {
namespace {

using fuzz::Bytes;
using fuzz::must;

const Communicator& comm() {
  static const Communicator made(fuzz::open_mpi());
  return made;
}

// A file with a seal of three ranges.
std::string sealed(fuzz::File& file) {
  std::string text(300, '\0');
  for (std::size_t n = 0; n < text.size(); ++n) text[n] = static_cast<char>(n * n);
  file.set(text);
  seal_file(file.path(), {{100, 80, checksum_alone(file.path(), 100, 80), "state"}});
  return read_text(file.path());
}

// Up to eight changes of a byte each, or another length.
void change_sealed(fuzz::File& file, Bytes bytes) {
  static const std::string whole = sealed(file);
  std::string text = whole;
  for (int left = 1 + bytes.next() % 8; left > 0 && !bytes.end() && !text.empty(); --left) {
    const auto at = static_cast<std::size_t>(256 * bytes.next() + bytes.next()) % text.size();
    const int what = bytes.next();
    const char letter = static_cast<char>(bytes.next());
    if (what < 192)
      text[at] = letter;
    else if (what < 224)
      text.insert(at, 1, letter);
    else if (what < 240)
      text.erase(at, 1 + static_cast<std::size_t>(bytes.next() % 4));
    else if (at > 0)
      text.resize(at);
  }
  file.set(text);
  must(fault_of_seal(comm(), file.path()).empty() == (text == whole));
}

struct Attributes {
  hid_t file;
  Bytes& bytes;

  // What it should be, or something else, or nothing.
  void add(hid_t object, const char* name, const std::string& right, std::size_t most) const {
    const int what = bytes.next() % 8;
    if (what == 7) return;
    const std::string text = what < 5 ? right : bytes.text(most);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    if (what == 6) type = (H5Tclose(type), H5Tcopy(H5T_IEEE_F64LE));
    const std::array<double, 8192> numbers{1.5};
    write(object, name, type, space, what == 6 ? static_cast<const void*>(numbers.data()) : text.data());
    H5Tclose(type);
    H5Sclose(space);
  }
  void number(hid_t object, const char* name, bool real) const {
    const int what = bytes.next() % 8;
    if (what == 7) return;
    const double value = static_cast<double>(bytes.number());
    const auto integer = static_cast<std::int64_t>(value < 1e15 ? value : 1e15);
    const hsize_t two = 2;
    const hid_t space = what == 6   ? H5Screate_simple(1, &two, nullptr)
                        : what == 5 ? H5Screate(H5S_NULL)
                                    : H5Screate(H5S_SCALAR);
    const double values[2] = {value, value};
    const std::int64_t integers[2] = {integer, integer};
    const bool as_real = (what == 4) != real;
    write(object, name, as_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, space,
          as_real ? static_cast<const void*>(values) : integers);
    H5Sclose(space);
  }
  void write(hid_t object, const char* name, hid_t type, hid_t space, const void* values) const {
    const hid_t made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made < 0) return;
    H5Awrite(made, type, values);
    H5Aclose(made);
  }
};

// Blocks of 3 x 2 values, mostly.
void add_block(hid_t group, const char* name, bool real, Bytes& bytes) {
  const int what = bytes.next() % 16;
  if (what == 15) return;
  const std::vector<hsize_t> extents = what < 10    ? std::vector<hsize_t>{3, 2}
                                       : what == 10 ? std::vector<hsize_t>{6}
                                       : what == 11 ? std::vector<hsize_t>{}
                                                    : std::vector<hsize_t>{hsize_t(1 + bytes.next()), 2, 1};
  const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t type = (what == 9) != real ? H5T_IEEE_F64LE : what == 8 ? H5T_STD_I32LE : H5T_STD_I64LE;
  const hid_t made = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const double reals[1024] = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5};
  const std::int64_t integers[1024] = {1, 2, 3, 4, 5, 6};
  H5Dwrite(made, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
           real ? static_cast<const void*>(reals) : integers);
  H5Dclose(made);
  H5Sclose(space);
}

CheckpointIdentity identity() {
  CheckpointIdentity made{"diffusion", "8 x 8 cells", "1", "problem: diffusion\n"};
  made.formulas = "c";
  made.keys = read_fingerprint("=diffusion.domain.cells\t8, 8\n~diffusion.time.end\t1\n");
  made.end = 10;
  return made;
}

void write_checkpoint(const std::string& path, Bytes& bytes) {
  static const hid_t access = [] {
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_file_locking(list, false, true);
    return list;
  }();
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  must(file >= 0);
  const CheckpointIdentity right = identity();
  const Attributes attributes{file, bytes};
  attributes.add(file, "family", right.family, 16);
  attributes.add(file, "shape", right.shape, 16);
  attributes.add(file, "version", right.version, 16);
  attributes.add(file, "deck", right.deck, 16);
  attributes.add(file, "formulas", right.formulas, 16);
  attributes.add(file, "keys", right.keys.text(), 64);
  attributes.add(file, "outputs", "", 64);
  const hid_t blocks = H5Gcreate2(file, "blocks", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  add_block(blocks, "u", true, bytes);
  add_block(blocks, "n", false, bytes);
  H5Gclose(blocks);
  const hid_t scalars = H5Gcreate2(file, "scalars", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  attributes.number(scalars, "driver_time", true);
  attributes.number(scalars, "step", false);
  H5Gclose(scalars);
  H5Fclose(file);
}

void restore(const fuzz::Folder& folder, const std::string& path) {
  static const ExecutorPtr executor = make_omp_executor(1);
  static Array<double, 1> reals(executor, {6});
  static Array<Index, 1> integers(executor, {6});
  const Checkpoints checkpoints(comm(), folder.path(), 1, identity());
  reals.assign(std::vector<double>(6));
  integers.assign(std::vector<Index>(6));
  double time = -1;
  Index step = -1;
  const bool no = fuzz::refused_or_failed([&] {
    checkpoints.restore(path, [&](StateArchive& archive) {
      archive.scalar("driver_time", time);
      archive.scalar("step", step);
      archive.block("u", 3, 2, {{0}, {3}}, reals.view(), *executor);
      archive.block("n", 3, 2, {{0}, {3}}, integers.view(), *executor);
    });
  });
  fuzz::refused_or_failed([&] { checkpoints.check("auto"); });
  if (no) return;
  const auto read = reals.to_host();
  const auto counts = integers.to_host();
  for (std::size_t n = 0; n < 6; ++n) must(read[n] == 0.5 + static_cast<double>(n) && counts[n] == Index(n) + 1);
}

void run(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static fuzz::File file(folder, "checkpoint_0001.h5");
  if (size < 2) return;
  Bytes bytes(data + 1, size - 1);
  if (data[0] == 's') {
    change_sealed(file, bytes);
  } else if (data[0] == 'b') {
    file.set(bytes.text(size));
    fuzz::refused_or_failed([&] { fault_of_seal(comm(), file.path()); });
  } else {
    comm();
    write_checkpoint(file.path(), bytes);
    seal_file(file.path(), {});
    restore(folder, file.path());
  }
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::run(data, size);
  return 0;
}
