// The outputs in the directory of a run that a checkpoint counts on: files of times before it, which no later part of
// the run writes again, and the indices that name them.
#pragma once

#include <map>
#include <string>

#include "mpi/communicator.hpp"

namespace halocline {

class Outputs {
 public:
  Outputs(const Communicator& comm, std::string directory) : comm_(comm), directory_(std::move(directory)) {}

  // Puts on the disk whatever was written since the last call, with its names (fsync of files and folders), by a rank
  // of each node, since others may hold what their ranks have written. Returns a list of the files that stay as they
  // are, for fault_of_outputs(), on rank 0. Collective; MachineError on all ranks.
  std::string settle();

 private:
  const Communicator& comm_;
  std::string directory_;
  struct Settled {
    unsigned long long inode = 0;
    long long bytes = -1;   // of files that stay; -1: not known yet
    long long changed = 0;  // when an index was, ns
  };
  std::map<std::string, Settled> settled_;  // by name
};

// The first of these files that is gone from the directory or has another size, in words; "" when all are there.
std::string fault_of_outputs(const std::string& directory, const std::string& list);

}  // namespace halocline
