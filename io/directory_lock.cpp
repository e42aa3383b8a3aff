#include "io/directory_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "io/whereabouts.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr int most_tries = 100;  // holders that end and take the file with them while we wait for it
// For a holder that was killed just now: its threads end one after the other.
constexpr int most_pauses = 10;
constexpr std::chrono::milliseconds pause{100};

// "process 4711 on node01 since 2026-01-31T12:00:00Z", as the holder has written it.
std::string holder_of(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  std::string holder(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  holder.resize(std::min(holder.size(), holder.find('\n')));
  return holder.empty() ? "a process that has just begun" : holder;
}

// Or is new.
bool was_left_by_a_run(int descriptor) {
  constexpr std::string_view begin = "process ";
  std::array<char, begin.size()> found{};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const ssize_t length = ::pread(descriptor, found.data(), found.size(), 0);
  return length >= 0 && std::string_view(found.data(), static_cast<std::size_t>(length)) ==
                            begin.substr(0, static_cast<std::size_t>(length));
}

// 0, or the reason.
int lock_fault(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

// Whoever may write in the directory may lock it: the file of a holder that was killed stays, and another user's run
// takes it over.
void open_for_all(const std::string& directory, int descriptor) {
  struct stat whole {
  }, own{};
  if (::stat(directory.c_str(), &whole) != 0 || ::fstat(descriptor, &own) != 0 || own.st_uid != ::geteuid()) return;
  if (own.st_gid != whole.st_gid && ::fchown(descriptor, static_cast<uid_t>(-1), whole.st_gid) != 0) return;
  const mode_t write = whole.st_mode & (S_IWGRP | S_IWOTH);
  const mode_t wanted = (own.st_mode & 07777) | write | write << 1;
  if (wanted != (own.st_mode & 07777) && ::fchmod(descriptor, wanted) != 0) return;  // only its owner goes on then
}

// One that was made with fewer rights: it is not removed here, since two who do so at once would hold a lock each.
std::string fault_of_opening(const std::string& file, int reason) {
  std::string text = "cannot open " + file + ": " + std::strerror(reason);
  const int descriptor = reason == EACCES || reason == EPERM ? ::open(file.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return text;
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  const bool held = ::fcntl(descriptor, F_OFD_SETLK, &whole) != 0;
  text += (held ? "; it is held by " : "; it was left by ") + holder_of(descriptor);
  ::close(descriptor);
  return text + (held
                     ? ": wait for it, end it, or choose another directory with --set output.directory=DIR"
                     : ", which is over: remove the file, or choose another directory with --set output.directory=DIR");
}

}  // namespace

DirectoryLock::DirectoryLock(Log& log, std::string directory)
    : log_(log), directory_(std::move(directory)), file_(directory_ + "/run.lock") {}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

bool DirectoryLock::is_there() const {
  struct stat open {
  }, named{};
  return ::fstat(descriptor_, &open) == 0 && ::stat(file_.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

// What cannot be written is a matter of whoever writes first.
void DirectoryLock::take_if_there() {
  std::error_code none;
  if (std::filesystem::is_directory(directory_, none) && ::access(directory_.c_str(), W_OK) == 0) take();
}

void DirectoryLock::take() {
  for (int tries = 0, pauses = 0; descriptor_ < 0 && tries < most_tries; ++tries) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw MachineError(fault_of_opening(file_, errno));
    if (!was_left_by_a_run(descriptor_)) {
      ::close(std::exchange(descriptor_, -1));
      throw MachineError(file_ + " is in the way: halocline has not written it; nothing was computed. Move it, or " +
                         "choose another directory with --set output.directory=DIR");
    }
    open_for_all(directory_, descriptor_);
    const int fault = lock_fault(descriptor_);
    if (fault == EAGAIN || fault == EACCES) {
      const std::string holder = holder_of(descriptor_);
      ::close(std::exchange(descriptor_, -1));
      if (pauses++ < most_pauses) {
        std::this_thread::sleep_for(pause);
        continue;
      }
      throw MachineError("another run is at work in " + directory_ + ": " + holder +
                         "; nothing was computed. Wait for it, end it, or choose another directory with --set "
                         "output.directory=DIR");
    }
    if (fault != 0)
      log_.warning(file_ + " cannot be locked (" + std::strerror(fault) +
                   "): see to it that no other run uses the directory");
    if (!is_there()) ::close(std::exchange(descriptor_, -1));  // its holder has just removed it
  }
  if (descriptor_ < 0) throw MachineError("cannot lock " + file_);
  const std::string text =
      "process " + std::to_string(::getpid()) + " on " + host_name() + " since " + utc_now() + "\n";
  // Who cannot be named holds the lock all the same.
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, text.data(), text.size(), 0) < 0)
    log_.debug("cannot write " + file_);
}

}  // namespace halocline
