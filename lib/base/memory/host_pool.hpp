// HostPool: host memory of one executor. Large blocks are kept when they are given back, joined to what is kept beside
// them, and used again, whole or in parts, since the first touch of a fresh page costs more than most work on it:
// sparse products and other set-up would spend more time there than in their arithmetic.
//
// What is in use and what is kept never exceed together what was once in use at the same time, so that keeping makes no
// process larger than its plan says. When memory is short the system may take kept pages. All functions may be called
// by several threads at once.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace halocline {

class HostPool {
 public:
  HostPool() = default;
  ~HostPool();  // gives kept memory back to the system; no block is in use any more
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  // As allocate_host and deallocate_host of lib/base/memory/host_memory.hpp. A large block has whatever contents.
  void* allocate(std::size_t bytes, const std::string& owner);
  void deallocate(void* pointer, std::size_t bytes) noexcept;

  std::size_t kept() const;  // bytes that wait to be used again, in whole huge pages

 private:
  using Spans = std::map<char*, std::size_t>;  // of whole huge pages: where they begin, and bytes
  char* take_kept(std::size_t bytes);          // null when no span is as large
  void keep(Spans::node_type span) noexcept;   // joined to its neighbors
  void shrink_to(std::size_t bytes) noexcept;  // gives kept spans back until they have no more than that
  char* fresh(std::size_t bytes, std::size_t wanted, const std::string& owner);

  mutable std::mutex mutex_;
  Spans kept_;
  std::map<void*, Spans::node_type> used_;  // large blocks, and the spans that they lie in
  std::size_t used_bytes_ = 0, kept_bytes_ = 0, most_used_ = 0;
  unsigned count_ = 0;  // of large blocks so far
};

}  // namespace halocline
