// OutputFile: an HDF5 file under construction by all ranks, written as NAME.tmp and renamed when it is complete.
//
// How a full disk is met: rank 0 first claims the room on the disk, then makes the structure (groups, datasets,
// attributes) alone, then all ranks write values into room that is already theirs. So the usual failures
// are seen by one process outside HDF5 and MPI, and reach every rank as one MachineError.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "io/h5/h5.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

class OutputFile {
 public:
  // Makes an empty `path`.tmp. Collective, as all calls are.
  OutputFile(const Communicator& comm, std::string path);
  // Removes the .tmp of a file that was not committed. Not collective.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }  // its name until then
  // Rank 0 runs `work` on the file; `bytes`: of the values and texts for which it makes room.
  void structure(std::size_t bytes, const std::function<void(h5::File&)>& work);
  // Every rank runs `work` on the file opened by all; it may only write values, and every rank the same datasets.
  void values(const std::function<void(h5::File&)>& work);
  // Makes one dataset of `shape`, `dataset_extent` being the same or its flat length, with a unit attribute (if any).
  // Returns where its values, which are not written yet, begin in the file; 0 when there are none.
  std::size_t allot(const std::string& name, const std::string& unit, h5::Type type, const h5::Extent& dataset_extent,
                    const h5::Extent& shape);
  // Gives the file its name; `durable`: survives a crash of the machine from here on. Each node syncs what its ranks
  // have written, once: a sync for every dataset would take most of the time of small checkpoints.
  void commit(bool durable = false);

 private:
  const Communicator& comm_;
  std::string path_, temporary_;
  bool committed_ = false;
};

}  // namespace halocline
