// The emulated device: memory from a page-protected arena that only launches and copies open, and a lazy mode in which
// the two queues hold their work until the host waits.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/graph/capture_queue.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/memory/poison.hpp"
#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {
namespace {

// A reserved range of addresses, readable and writable only while someone holds it open. Blocks come first fit from a
// map of free stretches. Every function takes the lock: neighbors open an arena during peer copies.
class Arena {
 public:
  Arena();
  ~Arena() { munmap(reserved_, size_ + huge_page); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes, const std::string& owner);
  void deallocate(void* pointer, std::size_t bytes) noexcept;
  void open();
  void close() noexcept;

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static constexpr std::size_t gap = 320;  // after each block: neighbors start at different places of a cache
  static std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64 + gap; }
  void protect(int how);

  std::mutex mutex_;
  void* reserved_ = MAP_FAILED;
  char* base_ = nullptr;
  std::size_t size_ = std::size_t{64} << 30;
  std::size_t span_ = 0;  // all blocks so far lie below; whole huge pages
  int holders_ = 0;
  std::map<std::size_t, std::size_t> free_;  // offset to length
};

Arena::Arena() {
  constexpr std::size_t least = std::size_t{64} << 20;
  for (; size_ >= least; size_ /= 2) {
    reserved_ = mmap(nullptr, size_ + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved_ != MAP_FAILED) break;
  }
  if (reserved_ == MAP_FAILED) throw MachineError("emulated device: cannot reserve addresses for its memory");
  const auto start = (reinterpret_cast<std::uintptr_t>(reserved_) + huge_page - 1) / huge_page * huge_page;
  base_ = reinterpret_cast<char*>(start);
  madvise(base_, size_, MADV_HUGEPAGE);
  free_.emplace(0, size_);
}

void Arena::protect(int how) {
  if (span_ > 0 && mprotect(base_, span_, how) != 0) {
    throw MachineError("emulated device: mprotect failed: " + std::string(std::strerror(errno)));
  }
}

void Arena::open() {
  const std::lock_guard lock(mutex_);
  if (holders_ == 0) protect(PROT_READ | PROT_WRITE);
  ++holders_;
}

void Arena::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (--holders_ == 0) protect(PROT_NONE);
}

void* Arena::allocate(std::size_t bytes, const std::string& owner) {
  if (bytes > physical_memory()) throw_out_of_memory(owner, bytes, free_memory());
  const std::lock_guard lock(mutex_);
  const std::size_t length = padded(bytes);
  auto hole = std::find_if(free_.begin(), free_.end(), [&](const auto& entry) { return entry.second >= length; });
  if (hole == free_.end()) throw_out_of_memory(owner, bytes, free_memory());
  const auto [offset, space] = *hole;
  free_.erase(hole);
  if (space > length) free_.emplace(offset + length, space - length);
  span_ = std::max(span_, (offset + length + huge_page - 1) / huge_page * huge_page);
  protect(PROT_READ | PROT_WRITE);
  permit(base_ + offset, bytes);
  forbid(base_ + offset + bytes, length - bytes);
  std::memset(base_ + offset, 0xff, bytes);  // NaN: a value read before it is written shows in the results
  if (holders_ == 0) protect(PROT_NONE);
  return base_ + offset;
}

void Arena::deallocate(void* pointer, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  forbid(static_cast<char*>(pointer), bytes);
  auto offset = static_cast<std::size_t>(static_cast<char*>(pointer) - base_);
  std::size_t length = padded(bytes);
  const auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + length) length += next->second;
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += length;
      if (next != free_.end() && next->first == offset + padded(bytes)) free_.erase(next);
      return;
    }
  }
  if (next != free_.end() && next->first == offset + padded(bytes)) free_.erase(next);
  free_.emplace(offset, length);
}

// Holds an arena open.
class Opening {
 public:
  explicit Opening(Arena& arena) : arena_(arena) { arena_.open(); }
  ~Opening() { arena_.close(); }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  Arena& arena_;
};

class EmulatedExecutor final : public Executor, public CaptureQueue {
 public:
  EmulatedExecutor(int threads, bool lazy, const Timers* profiled)
      : Executor(Backend::emulated, threads, (lazy ? "emulated-lazy:" : "emulated:") + std::to_string(threads),
                 make_host_profile(profiled)),
        lazy_(lazy) {}

  void* allocate(std::size_t bytes) const override {
    refuse_in_capture(getting_memory);
    return arena_.allocate(bytes, name());
  }
  void deallocate(void* pointer, std::size_t bytes) const noexcept override {
    if (is_put_off([this, pointer, bytes] { deallocate(pointer, bytes); })) return;
    synchronize();  // queued work may still use the block
    arena_.deallocate(pointer, bytes);
  }
  void* allocate_pinned(std::size_t bytes) const override {
    refuse_in_capture(getting_memory);
    return allocate_host(bytes, name());
  }
  void deallocate_pinned(void* pointer, std::size_t bytes) const noexcept override {
    if (is_put_off([this, pointer, bytes] { deallocate_pinned(pointer, bytes); })) return;
    synchronize();
    deallocate_host(pointer, bytes);
  }

  void copy_in_async(void* to, const void* host, std::size_t bytes, Queue queue) const override {
    refuse_in_capture("a copy from the host");
    copy("copy to device", to, host, bytes, queue);
  }
  void copy_out_async(void* host, const void* from, std::size_t bytes, Queue queue) const override {
    refuse_in_capture("a copy to the host");
    copy("copy to host", host, from, bytes, queue);
  }
  void copy_async(void* to, const void* from, std::size_t bytes, Queue queue) const override {
    copy("copy", to, from, bytes, queue);
  }
  void copy_peer(void* to, const Executor& source, const void* from, std::size_t bytes) const override {
    refuse_in_capture("a copy from another device");
    const Opening open(arena_);
    if (const auto* peer = dynamic_cast<const EmulatedExecutor*>(&source)) {
      const KernelTimer timer(*this, {"copy from peer", 2 * static_cast<double>(bytes)});
      const Opening open_peer(peer->arena_);  // past its queues, so that a missing wait shows
      return copy_host(to, from, bytes, threads());
    }
    source.copy_out_async(to, from, bytes, Queue::transfer);
    source.wait(source.record(Queue::transfer));
  }

  Event record(Queue queue) const override {
    refuse_in_capture("a mark in a queue");
    const std::lock_guard lock(mutex_);
    return {queue, line(queue).put, nullptr};
  }
  void wait(Queue queue, const Event& event) const override {
    refuse_in_capture(waiting);
    run(queue, [this, event] { finish(event.queue, event.ticket); });
  }
  void wait(const Event& event) const override {
    refuse_in_capture(waiting);
    finish(event.queue, event.ticket);
  }
  void synchronize() const override {
    wait(record(Queue::compute));
    wait(record(Queue::transfer));
  }
  void run(Queue queue, std::function<void()> work) const override {
    if (capturing()) {
      if (queue == Queue::transfer) refuse_in_capture("work of the transfer queue");
      captured_->push_back(std::move(work));
      return;
    }
    if (!lazy_) {
      const Opening open(arena_);
      return work();
    }
    const std::lock_guard lock(mutex_);
    line(queue).work.push_back(std::move(work));
    ++line(queue).put;
  }
  using Executor::run;

  void begin_capture() const override {
    refuse_in_capture("another one's capture");
    captured_ = std::make_shared<Captured>();
    set_capturing();
  }
  std::shared_ptr<void> end_capture() const override {
    require_clean(leave_capture());
    return std::move(captured_);
  }
  void drop_capture() const noexcept override { leave_capture(); }
  void launch_captured(const std::shared_ptr<void>& graph, const char*) const override {
    for (const auto& work : *static_cast<const Captured*>(graph.get())) run(Queue::compute, work);
  }

 private:
  using Captured = std::vector<std::function<void()>>;
  static constexpr const char *getting_memory = "the allocation of memory", *waiting = "a wait";

  void copy(const char* name, void* to, const void* from, std::size_t bytes, Queue queue) const {
    run(queue, {name, 2 * static_cast<double>(bytes)}, [=, n = threads()] { copy_host(to, from, bytes, n); });
  }

  struct Line {
    std::deque<std::function<void()>> work;
    Index put = 0, taken = 0;  // counts since the start; a ticket is the value of `put` when it was given
  };
  Line& line(Queue queue) const { return lines_[queue == Queue::compute ? 0 : 1]; }

  // Runs `queue` up to `ticket`. Work that waits for the other queue runs that one from inside, and no further.
  void finish(Queue queue, Index ticket) const {
    const std::lock_guard lock(mutex_);
    Line& waiting = line(queue);
    while (waiting.taken < ticket) {
      const std::function<void()> work = std::move(waiting.work.front());
      waiting.work.pop_front();
      ++waiting.taken;
      const Opening open(arena_);
      work();
    }
  }

  bool lazy_;
  mutable Arena arena_;
  mutable std::recursive_mutex mutex_;
  mutable std::array<Line, 2> lines_;
  mutable std::shared_ptr<Captured> captured_;
};

}  // namespace

ExecutorPtr make_emulated_executor(int threads, bool lazy, const Timers* profiled) {
  return std::make_shared<EmulatedExecutor>(threads, lazy, profiled);
}

}  // namespace halocline
