// What fuzz targets share.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/error.hpp"

namespace halocline::fuzz {

inline void must(bool condition) {
  if (!condition) std::abort();
}

// MPI stays open until the process ends: what it leaves behind is forgiven by the names of its libraries, which would
// be gone.
inline MPI_Comm open_mpi() {
  int open = 0;
  MPI_Initialized(&open);
  if (open == 0) MPI_Init(nullptr, nullptr);
  return MPI_COMM_SELF;
}

inline std::size_t refusals = 0;  // of all inputs

// Whether work() was refused as a fault of the deck, which names the file, and with words. Any other exception ends the
// program.
template <class Work>
bool refused(const Work& work) {
  try {
    work();
  } catch (const DeckError& error) {
    must(error.what()[0] != '\0');
    ++refusals;
    return true;
  }
  return false;
}

// The same of files that no deck names, which may be a fault of the machine as well.
template <class Work>
bool refused_or_failed(const Work& work) {
  try {
    return refused(work);
  } catch (const MachineError& error) {
    must(error.what()[0] != '\0');
    ++refusals;
    return true;
  }
}

// A folder in memory where there is one, which a process keeps for all its inputs.
class Folder {
 public:
  Folder() : Folder(of_process(getpid())) {}
  explicit Folder(std::string path) : path_(std::move(path)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Removes what a process has left that was ended.
  static void forget(pid_t process) {
    std::error_code none;
    std::filesystem::remove_all(of_process(process), none);
  }

 private:
  static std::string of_process(pid_t process) {
    std::error_code none;
    const bool shared = std::filesystem::is_directory("/dev/shm", none);
    return (shared ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/halocline_fuzz_" +
           std::to_string(process);
  }
  std::string path_;
};

// A file of that folder that gets other bytes for every input; it is opened once.
class File {
 public:
  File(const Folder& folder, const std::string& name) : path_(folder / name) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    must(file_ >= 0);
  }
  ~File() { close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }
  void set(std::string_view bytes) {
    must(pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    must(ftruncate(file_, static_cast<off_t>(bytes.size())) == 0);
  }

 private:
  std::string path_;
  int file_ = -1;
};

// What an input says, byte by byte; zeros behind its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  int next() { return at_ < size_ ? data_[at_++] : 0; }
  bool end() const { return at_ >= size_; }
  // Mostly small, sometimes negative or huge.
  std::int64_t number() {
    const int byte = next();
    if (byte < 224) return byte;
    return byte < 250 ? byte - 256 : std::int64_t{1} << (byte - 192);
  }
  std::string text(std::size_t most) {
    const std::size_t count = std::min(most, size_ - at_);
    std::string made(reinterpret_cast<const char*>(data_) + at_, count);
    at_ += count;
    return made;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

}  // namespace halocline::fuzz
