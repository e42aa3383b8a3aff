// Memory of the emulated device: a reserved range of addresses, readable and writable only while someone holds it open.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "lib/base/memory/free_list.hpp"

namespace halocline {

// Pages that a whole range of is opened and closed for as many holders as there are. Every function takes the lock.
class Gate {
 public:
  // `file`: whose bytes from `start` on they are; -1: of no file.
  Gate(std::size_t bytes, int file, std::size_t start);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  char* base() const { return base_; }
  std::size_t size() const { return size_; }
  std::size_t span() const { return span_; }  // the bytes that were ever in use
  void open();
  void close() noexcept;
  // Pages from `span` on are in no use yet, and stay closed. Whole huge pages.
  void widen(std::size_t span);

 private:
  void protect(int how);

  std::mutex mutex_;
  void* reserved_;
  std::size_t mapped_, size_;  // what is reserved, and what of it is used
  char* base_ = nullptr;
  std::size_t span_ = 0;
  int holders_ = 0;
};

// Holds a gate open; none for null.
class Opening {
 public:
  explicit Opening(Gate* gate) : gate_(gate) {
    if (gate_ != nullptr) gate_->open();
  }
  ~Opening() {
    if (gate_ != nullptr) gate_->close();
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  Gate* gate_;
};

// Blocks behind a gate. Every function takes the lock: neighbors open an arena during peer copies.
class Arena {
 public:
  static constexpr std::size_t most_bytes = std::size_t{64} << 30;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  Arena();                             // as much as can be reserved
  Arena(int file, std::size_t start);  // most_bytes of a file
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes, const std::string& owner);
  void deallocate(void* pointer, std::size_t bytes) noexcept;
  Gate* gate() { return &gate_; }

 private:
  static constexpr std::size_t gap = 320;  // after each block: neighbors start at different places of a cache
  static std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64 + gap; }

  std::mutex mutex_;
  Gate gate_;
  FreeList free_;
};

}  // namespace halocline
