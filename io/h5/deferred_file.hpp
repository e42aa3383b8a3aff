// DeferredFile: an OutputFile whose values are written after it has been laid out, by a thread if wanted.
//
// HDF5 and MPI serve one thread each, so neither is called where values are written: the main thread makes all
// datasets, asks where their values lie in the file, and exchanges between ranks what must be exchanged. What is left
// are values in memory and places in the file, for plain system calls. The bytes of the file are those that HDF5 would
// write. Values of ranks that do not write have left them when depart() returns: those that a writer cannot hold
// (writers.hpp) are in the file then.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "io/h5/h5_slabs.hpp"
#include "io/h5/output_file.hpp"
#include "io/h5/staging.hpp"
#include "lib/base/view.hpp"

namespace halocline {

class DeferredFile {
 public:
  // Makes an empty `path`.tmp. Collective, as all calls are but for arrived().
  DeferredFile(const Writers& writers, std::string path);
  // Ends the thread at once; removes what there is of a file that was not committed. Not collective.
  ~DeferredFile();
  DeferredFile(const DeferredFile&) = delete;
  DeferredFile& operator=(const DeferredFile&) = delete;

  OutputFile& file() { return file_; }
  // Makes a dataset of 8-byte reals of `shape`, `dataset_extent` being the same or its flat length, with a unit
  // attribute (if any). The boxes of all ranks tile it; their values stay as they are until the file has arrived, but
  // where this returns true: then they lie in slabs of the file's own.
  bool dataset(const std::string& name, const std::string& unit, const h5::Extent& dataset_extent,
               const h5::Extent& shape, std::span<const HostBox> boxes);
  // The same of values that are in the file when this returns; boxes that are no slabs become some in bounded pieces.
  void write_dataset(const std::string& name, const std::string& unit, const h5::Extent& dataset_extent,
                     const h5::Extent& shape, std::span<const HostBox> boxes);
  // The values begin their way to the file when those of `before` (if any) have gone theirs: in a thread, or during
  // arrive(). The file's structure does not change any more.
  void depart(bool thread, const DeferredFile* before = nullptr);
  // Whether this rank's values are in the file, or have failed to get there; never blocks.
  bool arrived() const;
  // Waits for the values and gives the file its name. MachineError on all ranks when it failed on one.
  void arrive();

 private:
  struct Piece {
    std::size_t offset;  // in the file, bytes
    View<const double, 3> values;
  };
  void add_pieces(std::size_t begin, const h5::Extent& shape, std::span<const HostBox> boxes);
  void put_all(const WriteAt& write) const;

  const Communicator& comm_;
  OutputFile file_;
  std::vector<Piece> pieces_;
  std::vector<std::unique_ptr<double[]>> exchanged_;
  std::atomic<bool> stop_ = false;
  std::shared_future<void> done_;
};

}  // namespace halocline
