#include "lib/base/memory/host_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/memory/poison.hpp"

namespace halocline {

HostPool::~HostPool() { shrink_to(0); }

void* HostPool::allocate(std::size_t bytes, const std::string& owner) {
  if (bytes < large_host_block) return allocate_host(bytes, owner);
  const std::lock_guard lock(mutex_);
  const std::size_t shift = shift_of_block(count_++);
  const std::size_t size = whole_huge_pages(bytes + shift);
  // A place for the span in both maps is made here, so that deallocate() needs no memory.
  Spans one;
  one.emplace(nullptr, size);
  Spans::node_type span = one.extract(one.begin());
  char* start = take_kept(size);
  if (start == nullptr) {
    const std::size_t most = std::max(most_used_, used_bytes_ + size);
    shrink_to(bytes > free_memory() ? 0 : most - used_bytes_ - size);
    start = fresh(size, bytes, owner);
    most_used_ = most;
  }
  choose_pages(start, shift + bytes);
  span.key() = start;
  used_.emplace(start + shift, std::move(span));
  used_bytes_ += size;
  forbid(start, size);
  permit(start + shift, bytes);
  return start + shift;
}

void HostPool::deallocate(void* pointer, std::size_t bytes) noexcept {
  if (bytes < large_host_block) return deallocate_host(pointer, bytes);
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(pointer);
  Spans::node_type span = std::move(block->second);
  used_.erase(block);
  forget_pages(span.key(), span.mapped());
  forbid(span.key(), span.mapped());
  used_bytes_ -= span.mapped();
  kept_bytes_ += span.mapped();
  keep(std::move(span));
}

std::size_t HostPool::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

// From the smallest span that is large enough; what is left of it stays.
char* HostPool::take_kept(std::size_t bytes) {
  auto best = kept_.end();
  for (auto span = kept_.begin(); span != kept_.end(); ++span)
    if (span->second >= bytes && (best == kept_.end() || span->second < best->second)) best = span;
  if (best == kept_.end()) return nullptr;
  char* start = best->first;
  kept_bytes_ -= bytes;
  if (best->second == bytes) {
    kept_.erase(best);
  } else {
    Spans::node_type rest = kept_.extract(best);
    rest.key() += bytes;
    rest.mapped() -= bytes;
    kept_.insert(std::move(rest));
  }
  return start;
}

void HostPool::keep(Spans::node_type span) noexcept {
  const auto place = kept_.insert(std::move(span)).position;
  const auto join = [&](Spans::iterator one, Spans::iterator next) {
    if (one->first + one->second != next->first) return next;
    one->second += next->second;
    kept_.erase(next);
    return one;
  };
  const auto joined = place == kept_.begin() ? place : join(std::prev(place), place);
  if (std::next(joined) != kept_.end()) join(joined, std::next(joined));
}

char* HostPool::fresh(std::size_t bytes, std::size_t wanted, const std::string& owner) {
  // The kernel promises more than it has and kills later; a block beyond all memory is refused here.
  if (bytes <= physical_memory()) {
    if (char* start = map_huge_pages(bytes)) return start;
    if (!kept_.empty()) {
      shrink_to(0);
      if (char* start = map_huge_pages(bytes)) return start;
    }
  }
  throw_out_of_memory(owner, wanted, free_memory());
}

// The ends of the smallest spans go first: large ones serve for more.
void HostPool::shrink_to(std::size_t bytes) noexcept {
  while (kept_bytes_ > bytes) {
    const auto span =
        std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::size_t less = std::min(span->second, whole_huge_pages(kept_bytes_ - bytes));
    char* end = span->first + span->second;
    span->second -= less;
    kept_bytes_ -= less;
    permit(end - less, less);
    unmap_pages(end - less, less);
    if (span->second == 0) kept_.erase(span);
  }
}

}  // namespace halocline
