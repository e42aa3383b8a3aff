#include "lib/base/emulated/emulated_executor.hpp"

#include <string>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {
namespace {

using Captured = std::vector<std::function<void()>>;
constexpr const char *getting_memory = "the allocation of memory", *waiting = "a wait";

}  // namespace

EmulatedExecutor::EmulatedExecutor(int threads, bool lazy, const Timers* profiled)
    : Executor(Backend::emulated, threads, (lazy ? "emulated-lazy:" : "emulated:") + std::to_string(threads),
               make_host_profile(profiled)),
      lazy_(lazy) {}

EmulatedExecutor::Shared& EmulatedExecutor::shared() const {
  if (!shared_) shared_ = std::make_unique<Shared>();
  return *shared_;
}

void* EmulatedExecutor::allocate(std::size_t bytes) const {
  refuse_in_capture(getting_memory);
  return arena_.allocate(bytes, name());
}

// What is put off needs memory, which may be what a run ends for the lack of.
void EmulatedExecutor::deallocate(void* pointer, std::size_t bytes) const noexcept {
  if (capturing() && is_put_off([this, pointer, bytes] { deallocate(pointer, bytes); })) return;
  synchronize();  // queued work may still use the block
  arena_.deallocate(pointer, bytes);
}

void* EmulatedExecutor::allocate_pinned(std::size_t bytes) const {
  refuse_in_capture(getting_memory);
  return allocate_host(bytes, name());
}

void EmulatedExecutor::deallocate_pinned(void* pointer, std::size_t bytes) const noexcept {
  if (capturing() && is_put_off([this, pointer, bytes] { deallocate_pinned(pointer, bytes); })) return;
  synchronize();
  deallocate_host(pointer, bytes);
}

void EmulatedExecutor::copy_in_async(void* to, const void* host, std::size_t bytes, Queue queue) const {
  refuse_in_capture("a copy from the host");
  copy("copy to device", to, host, bytes, queue);
}

void EmulatedExecutor::copy_out_async(void* host, const void* from, std::size_t bytes, Queue queue) const {
  refuse_in_capture("a copy to the host");
  copy("copy to host", host, from, bytes, queue);
}

void EmulatedExecutor::copy_async(void* to, const void* from, std::size_t bytes, Queue queue) const {
  copy("copy", to, from, bytes, queue);
}

void EmulatedExecutor::copy(const char* name, void* to, const void* from, std::size_t bytes, Queue queue) const {
  run(queue, {name, 2 * static_cast<double>(bytes)}, [=, n = threads()] { copy_host(to, from, bytes, n); });
}

void EmulatedExecutor::copy_peer(void* to, const Executor& source, const void* from, std::size_t bytes) const {
  refuse_in_capture("a copy from another device");
  const Access access(*this);
  if (const auto* peer = dynamic_cast<const EmulatedExecutor*>(&source)) {
    const KernelTimer timer(*this, {"copy from peer", 2 * static_cast<double>(bytes)});
    const Access peers(*peer);  // past its queues, so that a missing wait shows
    return copy_host(to, from, bytes, threads());
  }
  source.copy_out_async(to, from, bytes, Queue::transfer);
  source.wait(source.record(Queue::transfer));
}

Event EmulatedExecutor::record(Queue queue) const {
  refuse_in_capture("a mark in a queue");
  return {queue, lines_.put_so_far(queue), nullptr};
}

void EmulatedExecutor::wait(Queue queue, const Event& event) const {
  refuse_in_capture(waiting);
  run(queue, [this, event] { lines_.finish(event.queue, event.ticket); });
}

void EmulatedExecutor::wait(const Event& event) const {
  refuse_in_capture(waiting);
  lines_.finish(event.queue, event.ticket);
}

void EmulatedExecutor::synchronize() const {
  wait(record(Queue::compute));
  wait(record(Queue::transfer));
}

void EmulatedExecutor::run(Queue queue, std::function<void()> work) const {
  if (capturing()) {
    if (queue == Queue::transfer) refuse_in_capture("work of the transfer queue");
    captured_->push_back(std::move(work));
    return;
  }
  if (!lazy_) {
    const Access access(*this);
    return work();
  }
  lines_.put(queue, [this, inner = std::move(work)] {
    const Access access(*this);
    inner();
  });
}

void EmulatedExecutor::begin_capture() const {
  refuse_in_capture("another one's capture");
  captured_ = std::make_shared<Captured>();
  set_capturing();
}

std::shared_ptr<void> EmulatedExecutor::end_capture() const {
  require_clean(leave_capture());
  return std::move(captured_);
}

void EmulatedExecutor::drop_capture() const noexcept { leave_capture(); }

void EmulatedExecutor::launch_captured(const std::shared_ptr<void>& graph, const char*) const {
  for (const auto& work : *static_cast<const Captured*>(graph.get())) run(Queue::compute, work);
}

ExecutorPtr make_emulated_executor(int threads, bool lazy, const Timers* profiled) {
  return std::make_shared<EmulatedExecutor>(threads, lazy, profiled);
}

}  // namespace halocline
