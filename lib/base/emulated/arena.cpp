#include "lib/base/emulated/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/memory/poison.hpp"

namespace halocline {
namespace {

constexpr std::size_t least_bytes = std::size_t{64} << 20;

void* reserve(std::size_t bytes, int file, std::size_t start) {
  const int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  return mmap(nullptr, bytes, PROT_NONE, kind | MAP_NORESERVE, file, static_cast<off_t>(start));
}

}  // namespace

Gate::Gate(std::size_t bytes, int file, std::size_t start) : reserved_(MAP_FAILED), mapped_(0), size_(bytes) {
  const std::size_t room = file < 0 ? Arena::huge_page : 0;  // to begin at a huge page
  for (; size_ >= least_bytes; size_ /= 2) {
    mapped_ = size_ + room;
    reserved_ = reserve(mapped_, file, start);
    if (reserved_ != MAP_FAILED) break;
  }
  if (reserved_ == MAP_FAILED) throw MachineError("emulated device: cannot reserve addresses for its memory");
  const auto first = (reinterpret_cast<std::uintptr_t>(reserved_) + room) / Arena::huge_page * Arena::huge_page;
  base_ = file < 0 ? reinterpret_cast<char*>(first) : static_cast<char*>(reserved_);
  if (file < 0) madvise(base_, size_, MADV_HUGEPAGE);
}

Gate::~Gate() { munmap(reserved_, mapped_); }

void Gate::protect(int how) {
  if (span_ > 0 && mprotect(base_, span_, how) != 0) {
    throw MachineError("emulated device: mprotect failed: " + std::string(std::strerror(errno)));
  }
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  if (holders_ == 0) protect(PROT_READ | PROT_WRITE);
  ++holders_;
}

void Gate::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (--holders_ == 0) protect(PROT_NONE);
}

void Gate::widen(std::size_t span) {
  const std::lock_guard lock(mutex_);
  if (span <= span_) return;
  span_ = (span + Arena::huge_page - 1) / Arena::huge_page * Arena::huge_page;
  if (holders_ > 0) protect(PROT_READ | PROT_WRITE);
}

Arena::Arena() : gate_(most_bytes, -1, 0), free_(gate_.size()) {}
Arena::Arena(int file, std::size_t start) : gate_(most_bytes, file, start), free_(gate_.size()) {}
Arena::~Arena() {
  permit(gate_.base(), gate_.span());  // to whoever gets these addresses next, the stack of a thread for one
}

void* Arena::allocate(std::size_t bytes, const std::string& owner) {
  if (bytes > physical_memory()) throw_out_of_memory(owner, bytes, free_memory());
  const std::lock_guard lock(mutex_);
  const std::size_t length = padded(bytes);
  const auto offset = free_.take(length);
  if (!offset) throw_out_of_memory(owner, bytes, free_memory());
  gate_.widen(*offset + length);
  const Opening open(&gate_);
  char* block = gate_.base() + *offset;
  permit(block, bytes);
  forbid(block + bytes, length - bytes);
  std::memset(block, 0xff, bytes);  // NaN: a value read before it is written shows in the results
  return block;
}

void Arena::deallocate(void* pointer, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  forbid(static_cast<char*>(pointer), bytes);
  free_.give_back(static_cast<std::size_t>(static_cast<char*>(pointer) - gate_.base()), padded(bytes));
}

}  // namespace halocline
