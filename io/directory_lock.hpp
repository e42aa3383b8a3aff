// DirectoryLock: one run at a time in an output directory, from before it is touched until the end of the process.
//
// Rank 0 holds a lock of the operating system on the file run.lock, which says who it is. The system gives the lock
// back when the process ends, however it does, also on network file systems, so nothing is left to be cleared by hand.
#pragma once

#include <string>

#include "lib/base/log.hpp"

namespace halocline {

class DirectoryLock {
 public:
  DirectoryLock(Log& log, std::string directory);  // holds nothing yet
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  // Takes the lock unless it is held. On rank 0 alone, once the directory is there. MachineError, with who holds it,
  // where another process does. Where the file system knows no locks, the log is told and the run goes on without.
  void take();
  // The same where the directory is there already and may be written.
  void take_if_there();

 private:
  bool is_there() const;  // whether the file that is locked still has its name

  Log& log_;
  std::string directory_, file_;
  int descriptor_ = -1;
};

}  // namespace halocline
