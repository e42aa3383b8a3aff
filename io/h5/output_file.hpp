// OutputFile: an HDF5 file under construction by all ranks, written as NAME.tmp and renamed when it is complete.
//
// How a full disk is met: rank 0 first claims the room on the disk, then makes the structure (groups, datasets,
// attributes) alone, then all ranks write values into room that is already theirs. So the usual failures
// are seen by one process outside HDF5 and MPI, and reach every rank as one MachineError. Which ranks put values into
// the file, and for which others, is a matter of Writers; the bytes are the same.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "io/h5/h5.hpp"
#include "io/h5/writers.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

class OutputFile {
 public:
  // Makes an empty `path`.tmp. Collective, as all calls are.
  OutputFile(Writers writers, std::string path);
  // Removes the .tmp of a file that was not committed. Not collective.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const Writers& writers() const { return writers_; }
  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }  // its name until then
  // Rank 0 runs `work` on the file; `bytes`: of the values and texts for which it makes room.
  void structure(std::size_t bytes, const std::function<void(h5::File&)>& work);
  // Writes boxes of an array of `shape` into a dataset that has its shape, or its size laid flat, and this type: every
  // rank any number of boxes (none is fine), few and contiguous ones are fast. MachineError on all ranks.
  void write(const std::string& dataset, h5::Type type, const h5::Extent& shape, std::span<const h5::Source> boxes);
  // Makes one dataset of `shape`, `dataset_extent` being the same or its flat length, with a unit attribute (if any).
  // Returns where its values, which are not written yet, begin in the file; 0 when there are none.
  std::size_t allot(const std::string& name, const std::string& unit, h5::Type type, const h5::Extent& dataset_extent,
                    const h5::Extent& shape);
  // Gives the file its name; `durable`: survives a crash of the machine from here on. Each node syncs what its ranks
  // have written, once: a sync for every dataset would take most of the time of small checkpoints.
  void commit(bool durable = false);

 private:
  std::size_t place_of(const std::string& dataset, h5::Type type, const h5::Extent& shape);
  Writers writers_;
  const Communicator& comm_;
  std::string path_, temporary_;
  std::map<std::string, std::size_t> places_;  // of values in the file, for datasets that were written to
  bool committed_ = false;
};

}  // namespace halocline
