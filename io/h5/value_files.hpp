// ValueFiles: values of several arrays in a file per writer, for an HDF5 file that names them as external storage of
// its datasets. HDF5 and its tools read them there, where they are told the folder (HDF5_EXTFILE_PREFIX).
//
// Each array is dealt out anew in slabs, one after the other by rank, so that a group of ranks has one stretch of it,
// which lies in the file of its writer. A text names all stretches with their checksums; who keeps it can tell whether
// the files are those that were written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/h5/h5.hpp"
#include "io/h5/writers.hpp"

namespace halocline {

class ValueFiles {
 public:
  static constexpr Index most = 2048;  // files that a dataset can name, with their places, in 64 kB of its header
  // Makes STEM.0001.values.tmp and so on, in the order of writers. Collective, as all calls are.
  ValueFiles(Writers writers, std::string stem);
  // Removes the files unless they are to be kept. Not collective.
  ~ValueFiles();
  ValueFiles(const ValueFiles&) = delete;
  ValueFiles& operator=(const ValueFiles&) = delete;

  // Writes an array of `shape`, of 8-byte values, that the boxes of all ranks tile. Returns where its values lie, on
  // rank 0. MachineError on all ranks.
  std::vector<h5::Stretch> add(const h5::Extent& shape, std::span<const h5::Source> boxes);
  // What fault_of_value_files() asks for, on rank 0: a line for every stretch, with file, place, bytes and checksum.
  std::string index() const { return index_; }
  // Puts the files on the disk and gives them their names.
  void commit();
  // They stay from here on: what names them is on the disk too. Not collective.
  void keep() { kept_ = true; }

 private:
  std::string path_of(int group) const { return stem_ + ending_of(group); }
  static std::string ending_of(int group);
  std::string temporary() const { return path_of(own_) + ".tmp"; }

  Writers writers_;
  const Communicator& comm_;
  std::string stem_;
  std::vector<int> begins_;  // of groups, and the number of ranks
  int own_ = 0;              // this rank's group
  std::vector<Index> ends_;  // bytes of the files so far
  std::string index_;
  bool kept_ = false;
};

// What is wrong with the files in `directory` that this text names, "" when every byte is as it was. Ranks share them
// out. Collective; MachineError on all ranks when one cannot be read.
std::string fault_of_value_files(const Communicator& comm, const std::string& directory, const std::string& index);

// Those of this stem (within a directory), by their names.
std::vector<std::string> value_files_of(const std::string& directory, const std::string& stem);

}  // namespace halocline
