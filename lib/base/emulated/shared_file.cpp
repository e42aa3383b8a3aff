#include "lib/base/emulated/shared_file.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <random>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Of the kernel, between processes (std::atomic::wait is for the threads of one).
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, value, nullptr, nullptr, 0);
}
void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

[[noreturn]] void fail(const char* what) {
  throw MachineError(std::string("emulated device: ") + what + ": " + std::strerror(errno));
}

}  // namespace

void SharedCount::raise(std::int64_t value) {
  std::int64_t before = value_.load();
  while (before < value && !value_.compare_exchange_weak(before, value)) {
  }
  wake();
}

void SharedCount::wait(std::int64_t least, const std::atomic<bool>* stop) {
  for (;;) {
    const std::uint32_t seen = news_.load();
    if (now() >= least || (stop != nullptr && stop->load())) return;
    sleep_while(news_, seen);
  }
}

void SharedCount::wake() {
  news_.fetch_add(1);
  wake_all(news_);
}

SharedFile::SharedFile(std::size_t bytes) : file_(memfd_create("halocline", MFD_CLOEXEC)) {
  if (file_ < 0) fail("memfd_create");
  if (ftruncate(file_, static_cast<off_t>(start + bytes)) != 0) {
    close(file_);
    fail("no room to share");
  }
  map_board();
  new (board_) SharedBoard;
  std::random_device random;
  for (std::uint64_t& word : board_->password) word = (std::uint64_t{random()} << 32) | random();
}

SharedFile::SharedFile(const SharedFileKey& key) {
  const std::string name = "/proc/" + std::to_string(key.process) + "/fd/" + std::to_string(key.file);
  file_ = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) fail("the memory of another process cannot be opened");
  map_board();
  if (board_->password == key.password) return;
  munmap(board_, sizeof(SharedBoard));
  close(file_);
  throw MachineError("emulated device: the memory of another process is not there");
}

SharedFile::~SharedFile() {
  munmap(board_, sizeof(SharedBoard));
  close(file_);
}

void SharedFile::map_board() {
  void* memory = MAP_FAILED;
  if (lseek(file_, 0, SEEK_END) >= static_cast<off_t>(start))  // else it is another file
    memory = mmap(nullptr, sizeof(SharedBoard), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) {
    close(file_);
    throw MachineError("emulated device: shared memory cannot be mapped");
  }
  board_ = static_cast<SharedBoard*>(memory);
}

SharedFileKey SharedFile::key() const { return {getpid(), file_, board_->password}; }

}  // namespace halocline
