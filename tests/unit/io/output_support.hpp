// What the tests of the output side share: a scratch folder of all ranks, and a file-size limit.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "lib/base/error.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// An empty folder in the working directory, the same for all ranks, removed at the end. Collective.
class Scratch {
 public:
  Scratch(const Communicator& comm, const std::string& name)
      : comm_(comm), path_(name + "_np" + std::to_string(comm.size())) {
    if (comm.rank() == 0) {
      std::filesystem::remove_all(path_);
      std::filesystem::create_directories(path_);
    }
    comm.barrier();
  }
  ~Scratch() {
    comm_.barrier();
    if (comm_.rank() == 0) std::filesystem::remove_all(path_);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  // Names in the folder, sorted by the file system's whim.
  int files() const {
    int n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++n;
    return n;
  }

 private:
  const Communicator& comm_;
  std::string path_;
};

// No file of this process may grow beyond `bytes` while this lives. Trying to raises SIGXFSZ, which ends the process,
// or with `survive` fails like a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes, bool survive = false)
      : handler_(std::signal(SIGXFSZ, survive ? SIG_IGN : SIG_DFL)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// The message of the MachineError that `work` throws, "" when it throws none.
template <class F>
std::string machine_error(F&& work) {
  try {
    work();
  } catch (const MachineError& error) {
    return error.what();
  }
  return {};
}

}  // namespace halocline
