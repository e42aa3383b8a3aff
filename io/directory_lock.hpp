// DirectoryLock: one run at a time in an output directory, from before it is touched until the end of the process.
//
// Rank 0 holds a lock of the operating system on the file run.lock, which says who it is. The system gives the lock
// back when the process ends, however it does, also on network file systems, so nothing is left to be cleared by hand.
#pragma once

#include <string>

#include "lib/base/log.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

class DirectoryLock {
 public:
  // Takes the lock where the directory is there already. Collective; MachineError on all ranks, with who holds it,
  // where another process does. Where the file system knows no locks, the log is told and the run goes on without.
  DirectoryLock(const Communicator& comm, Log& log, std::string directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  // Takes the lock unless it is held. On rank 0 alone, once the directory is there.
  void take();

 private:
  bool is_there() const;  // whether the file that is locked still has its name

  Log& log_;
  std::string directory_, file_;
  int descriptor_ = -1;
};

}  // namespace halocline
