// HostPool: host memory of one executor. Large blocks are kept when they are given back and used again, since the first
// touch of a fresh page costs more than most work on it: sparse products and other set-up would spend more time there
// than in their arithmetic. Kept pages also stay where the executor's threads have touched them first.
//
// What is in use and what is kept never exceed together what was once in use at the same time, so that keeping makes no
// process larger than its plan says. When memory is short the system may take kept pages. All functions may be called
// by several threads at once.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace halocline {

class HostPool {
 public:
  HostPool() = default;
  ~HostPool();  // gives kept blocks back to the system; no block is in use any more
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  // As allocate_host and deallocate_host of lib/base/memory/host_memory.hpp. A large block has whatever contents.
  void* allocate(std::size_t bytes, const std::string& owner);
  void deallocate(void* pointer, std::size_t bytes) noexcept;

  std::size_t kept() const;  // bytes of the blocks that wait to be used again

 private:
  struct Block {
    void* pointer;
    std::size_t size;
  };
  void* take_kept(std::size_t bytes);  // null when none suits
  void* fresh(std::size_t bytes, const std::string& owner);
  void shrink_to(std::size_t bytes) noexcept;  // gives kept blocks back until they have no more than that

  mutable std::mutex mutex_;
  std::map<void*, std::size_t> used_;  // large blocks by their sizes
  std::vector<Block> kept_;            // the longest unused first
  std::size_t used_bytes_ = 0, kept_bytes_ = 0, most_used_ = 0;
};

}  // namespace halocline
