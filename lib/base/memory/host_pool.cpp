#include "lib/base/memory/host_pool.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/poison.hpp"

namespace halocline {
namespace {

// A kept block serves for what fills most of it.
bool suits(std::size_t block, std::size_t bytes) { return block >= bytes && block - bytes <= bytes / 8; }

}  // namespace

HostPool::~HostPool() { shrink_to(0); }

void* HostPool::allocate(std::size_t bytes, const std::string& owner) {
  if (bytes < large_host_block) return allocate_host(bytes, owner);
  const std::lock_guard lock(mutex_);
  kept_.reserve(kept_.size() + used_.size() + 1);  // so that deallocate() needs no memory
  if (void* pointer = take_kept(bytes)) return pointer;
  const std::size_t most = std::max(most_used_, used_bytes_ + bytes);
  shrink_to(bytes > free_memory() ? 0 : most - used_bytes_ - bytes);
  void* pointer = fresh(bytes, owner);
  used_.emplace(pointer, bytes);
  used_bytes_ += bytes;
  most_used_ = most;
  return pointer;
}

void HostPool::deallocate(void* pointer, std::size_t bytes) noexcept {
  if (bytes < large_host_block) return deallocate_host(pointer, bytes);
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(pointer);
  forget_contents(pointer, block->second);
  forbid(pointer, block->second);
  used_bytes_ -= block->second;
  kept_bytes_ += block->second;
  kept_.push_back({pointer, block->second});
  used_.erase(block);
}

std::size_t HostPool::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

// The smallest that suits; among equals the one used last, whose pages are the likeliest to be in caches.
void* HostPool::take_kept(std::size_t bytes) {
  auto best = kept_.end();
  for (auto block = kept_.begin(); block != kept_.end(); ++block)
    if (suits(block->size, bytes) && (best == kept_.end() || block->size <= best->size)) best = block;
  if (best == kept_.end()) return nullptr;
  used_.emplace(best->pointer, best->size);
  const auto [pointer, size] = *best;
  kept_.erase(best);
  permit(pointer, size);
  kept_bytes_ -= size;
  used_bytes_ += size;
  return pointer;
}

void* HostPool::fresh(std::size_t bytes, const std::string& owner) {
  try {
    return allocate_host(bytes, owner);
  } catch (const MachineError&) {
    if (kept_.empty()) throw;
  }
  shrink_to(0);
  return allocate_host(bytes, owner);
}

void HostPool::shrink_to(std::size_t bytes) noexcept {
  auto end = kept_.begin();
  for (; kept_bytes_ > bytes; ++end) {
    permit(end->pointer, end->size);
    deallocate_host(end->pointer, end->size);
    kept_bytes_ -= end->size;
  }
  kept_.erase(kept_.begin(), end);
}

}  // namespace halocline
