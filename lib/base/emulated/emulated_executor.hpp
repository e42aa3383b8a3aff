// The emulated device: memory from a page-protected arena that only launches and copies open, and a lazy mode in which
// the two queues hold their work until the host waits.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lib/base/emulated/arena.hpp"
#include "lib/base/emulated/lines.hpp"
#include "lib/base/emulated/shared_file.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/graph/capture_queue.hpp"

namespace halocline {

class EmulatedExecutor final : public Executor, public CaptureQueue {
 public:
  EmulatedExecutor(int threads, bool lazy, const Timers* profiled);

  void* allocate(std::size_t bytes) const override;
  void deallocate(void* pointer, std::size_t bytes) const noexcept override;
  void* allocate_pinned(std::size_t bytes) const override;
  void deallocate_pinned(void* pointer, std::size_t bytes) const noexcept override;

  void copy_in_async(void* to, const void* host, std::size_t bytes, Queue queue) const override;
  void copy_out_async(void* host, const void* from, std::size_t bytes, Queue queue) const override;
  void copy_async(void* to, const void* from, std::size_t bytes, Queue queue) const override;
  void copy_peer(void* to, const Executor& source, const void* from, std::size_t bytes) const override;

  Event record(Queue queue) const override;
  void wait(Queue queue, const Event& event) const override;
  void wait(const Event& event) const override;
  void synchronize() const override;
  void run(Queue queue, std::function<void()> work) const override;
  using Executor::run;

  void begin_capture() const override;
  std::shared_ptr<void> end_capture() const override;
  void drop_capture() const noexcept override;
  void launch_captured(const std::shared_ptr<void>& graph, const char*) const override;

  bool lazy() const { return lazy_; }
  // As wait(), for threads beside the one that drives the device, while that may be capturing launches.
  void finish(const Event& event) const { lines_.finish(event.queue, event.ticket); }
  // Memory that is as closed as the other, in a file that other processes may open; there from the first call on, which
  // nothing runs beside.
  SharedFile& shared_file() const { return shared().file; }
  Arena& shared_arena() const { return shared().arena; }

 private:
  struct Shared {
    SharedFile file{Arena::most_bytes};
    Arena arena{file.descriptor(), SharedFile::start};
  };
  struct Access {  // to all memory of the device
    explicit Access(const EmulatedExecutor& of)
        : own(of.arena_.gate()), shared(of.shared_ ? of.shared_->arena.gate() : nullptr) {}
    Opening own, shared;
  };

  Shared& shared() const;
  void copy(const char* name, void* to, const void* from, std::size_t bytes, Queue queue) const;

  bool lazy_;
  mutable Arena arena_;
  mutable std::unique_ptr<Shared> shared_;
  mutable Lines lines_;
  mutable std::shared_ptr<std::vector<std::function<void()>>> captured_;
};

}  // namespace halocline
