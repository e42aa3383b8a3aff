// HDF5 files: attributes, datasets and boxes of them, opened by one rank alone or by all together.
//
// Every call of the library is checked: a failure is a MachineError with file, call and HDF5's innermost reason.
// The structure of a file (groups, datasets, attributes) is made by one rank alone, values are written by all ranks;
// so a failure while making the structure is seen by one rank, and values never change the structure (output_file.hpp).
//
// Opened together, every rank has the file open by itself, and puts values at their places by plain system calls: no
// MPI-IO, whose shared state outlives killed runs, and in which one rank's failure may leave the others waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/types.hpp"
#include "mpi/communicator.hpp"

namespace halocline::h5 {

struct FileFailure;  // file_driver.hpp

enum class Type { float64, int64, uint8 };
std::size_t size_of(Type type);

using Extent = std::vector<Index>;

// A box of an array, slowest index first, and its values in memory, row-major and dense.
template <class Pointer>
struct BoxOf {
  Extent offset, count;
  Pointer values;
  Index size() const {
    Index n = 1;
    for (const Index c : count) n *= c;
    return n;
  }
};
using Source = BoxOf<const std::byte*>;
using Target = BoxOf<std::byte*>;

class File {
 public:
  enum class Mode { read, change };

  // Makes an empty file, replacing an old one. By one rank.
  static void create(const std::string& path);

  // Opens an existing file for this rank alone.
  File(std::string path, Mode mode);
  // Opens an existing file by all ranks of `comm` together (which must outlive the file); its structure then stays as
  // it is. Collective.
  File(std::string path, Mode mode, const Communicator& comm);
  // Closes without a check; collective when the file was opened so.
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Collective when the file was opened so; then all ranks throw or none.
  void close();

  // Structure, for files opened alone. `object` and `path` are absolute: "/VTKHDF/PointData/u".
  bool contains(const std::string& path) const;
  std::vector<std::string> children(const std::string& group) const;  // sorted by name
  void make_group(const std::string& path);                           // with all groups above it
  // A contiguous dataset whose space is allocated at once and never filled; makes the groups above it.
  void make_dataset(const std::string& path, Type type, const Extent& extent);
  void link(const std::string& path, const std::string& other_file, const std::string& target);
  Extent extent(const std::string& dataset) const;
  // Bytes of the file in front of the values of a contiguous dataset that is not empty.
  std::size_t offset(const std::string& dataset) const;
  Type type(const std::string& dataset) const;
  bool holds_integers(const std::string& dataset) const;  // of any size, with or without a sign
  bool holds_reals(const std::string& dataset) const;     // of any size

  void set_attribute(const std::string& object, const std::string& name, const std::string& text);  // UTF-8, any length
  void set_ascii_attribute(const std::string& object, const std::string& name, const std::string& text);
  void set_attribute(const std::string& object, const std::string& name, std::span<const double> values);
  void set_attribute(const std::string& object, const std::string& name, std::span<const Index> values);
  void set_attribute(const std::string& object, const std::string& name, double value);
  void set_attribute(const std::string& object, const std::string& name, Index value);
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> attributes(const std::string& object) const;  // names, sorted
  std::string text_attribute(const std::string& object, const std::string& name) const;
  double number_attribute(const std::string& object, const std::string& name) const;
  Index integer_attribute(const std::string& object, const std::string& name) const;
  std::vector<Index> integers_attribute(const std::string& object, const std::string& name) const;
  std::vector<double> numbers_attribute(const std::string& object, const std::string& name) const;

  // Writes boxes of an array of `shape` into the dataset, which has the same shape or is the array laid flat (rank 1);
  // then the boxes are contiguous in the array. Opened together: collective, every rank with any number of boxes (none
  // is fine); all ranks throw or none; datasets are then contiguous, as make_dataset() makes them, and of this type.
  // Few and contiguous boxes are fast (h5_slabs.hpp).
  void write(const std::string& dataset, Type type, const Extent& shape, std::span<const Source> boxes);
  void read(const std::string& dataset, Type type, const Extent& shape, std::span<const Target> boxes) const;

 private:
  void open(unsigned flags);
  void make_groups_above(const std::string& path);
  int class_of(const std::string& dataset) const;
  void write_plainly(const std::string& dataset, Type type, const Extent& shape, std::span<const Source> boxes) const;
  template <class Box>
  void transfer(const std::string& dataset, Type type, const Extent& shape, std::span<const Box> boxes) const;
  std::string path_;
  const Communicator* comm_ = nullptr;  // set when opened together
  std::unique_ptr<FileFailure> failure_;
  std::int64_t id_ = -1;  // hid_t
};

}  // namespace halocline::h5
