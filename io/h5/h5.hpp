// HDF5 files: attributes, datasets and boxes of them. No call is collective.
//
// Every call of the library is checked: a failure is a MachineError with file, call and HDF5's innermost reason.
// The structure of a file (groups, datasets, attributes) is made by one rank alone, values of many ranks are put at
// their places by plain system calls (output_file.hpp): no MPI-IO, whose shared state outlives killed runs, and in
// which one rank's failure may leave the others waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lib/base/types.hpp"

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
  Index size() const { return std::accumulate(count.begin(), count.end(), Index{1}, std::multiplies<>()); }
};
using Source = BoxOf<const std::byte*>;
using Target = BoxOf<std::byte*>;

// Values of an array.
inline Index volume(const Extent& extent) {
  return std::accumulate(extent.begin(), extent.end(), Index{1}, std::multiplies<>());
}
// Gives `write` the values of a box of an array of `shape` that begins at `begin` in a file, run by run.
void put_runs(const Extent& shape, const Source& box, Type type, std::size_t begin,
              const std::function<void(std::size_t offset, std::span<const std::byte> bytes)>& write);

// Bytes of a file, by its name without a folder, that hold a part of a dataset.
struct Stretch {
  std::string file;
  Index begin = 0, bytes = 0;
};

class File {
 public:
  enum class Mode { read, change };

  // Makes an empty file, replacing an old one. By one rank.
  static void create(const std::string& path);

  File(std::string path, Mode mode);
  // Closes without a check.
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void close();

  // `object` and `path` are absolute: "/VTKHDF/PointData/u".
  bool contains(const std::string& path) const;
  std::vector<std::string> children(const std::string& group) const;  // sorted by name
  void make_group(const std::string& path);                           // with all groups above it
  // A contiguous dataset whose space is allocated at once and never filled; makes the groups above it.
  void make_dataset(const std::string& path, Type type, const Extent& extent);
  // One whose values lie in other files, one stretch behind the other.
  void make_dataset(const std::string& path, Type type, const Extent& extent, std::span<const Stretch> stretches);
  void link(const std::string& path, const std::string& other_file, const std::string& target);
  Extent extent(const std::string& dataset) const;
  // Bytes of the file in front of the values of a contiguous dataset that is not empty.
  std::size_t offset(const std::string& dataset) const;
  // Where the values lie when that is other files; empty otherwise.
  std::vector<Stretch> stretches(const std::string& dataset) const;
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
  // then the boxes are contiguous in the array.
  void write(const std::string& dataset, Type type, const Extent& shape, std::span<const Source> boxes);
  void read(const std::string& dataset, Type type, const Extent& shape, std::span<const Target> boxes) const;

 private:
  void open(unsigned flags);
  void make_groups_above(const std::string& path);
  int class_of(const std::string& dataset) const;
  template <class Box>
  void transfer(const std::string& dataset, Type type, const Extent& shape, std::span<const Box> boxes) const;
  std::string path_;
  std::unique_ptr<FileFailure> failure_;
  std::int64_t id_ = -1;  // hid_t
};

}  // namespace halocline::h5
