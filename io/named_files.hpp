// NamedFiles: the data files that a deck names, as ranks find them before any is read. Ranks may read from disks of
// their own, and a file is read more than once on the way to a problem: results of two contents would be results of
// neither.
#pragma once

#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace halocline {

class NamedFiles {
 public:
  NamedFiles() = default;
  // MachineError on all ranks where one finds other contents than rank 0. Contents are read only where size or time of
  // change differ, as of copies on several disks. Collective.
  NamedFiles(const Communicator& comm, std::vector<std::string> paths);

  // MachineError on all ranks where one of the files has changed since. Collective.
  void require_unchanged(const Communicator& comm) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> stamps_;  // of this rank
};

}  // namespace halocline
