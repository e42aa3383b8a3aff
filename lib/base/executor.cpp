#include "lib/base/executor.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/memory/host_pool.hpp"
#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {

Executor::Executor(Backend backend, int threads, std::string name, std::shared_ptr<KernelProfile> profile)
    : profile_(std::move(profile)), backend_(backend), threads_(threads), name_(std::move(name)) {
  require(threads >= 1, "Executor: at least one thread");
}

void Executor::run(Queue queue, const Label& label, std::function<void()> work) const {
  if (profile() == nullptr) return run(queue, std::move(work));
  run(queue, [this, queue, span = profile()->span(label), inner = std::move(work)] {
    const KernelTimer timer(*this, span, queue);
    inner();
  });
}

void Executor::copy_in(void* to, const void* host, std::size_t bytes) const {
  copy_in_async(to, host, bytes, Queue::compute);
  wait(record(Queue::compute));
}

void Executor::copy_out(void* host, const void* from, std::size_t bytes) const {
  copy_out_async(host, from, bytes, Queue::compute);
  wait(record(Queue::compute));
}

namespace {

// The host itself: everything runs at once, so queues and events are empty.
class OmpExecutor final : public Executor {
 public:
  OmpExecutor(int threads, const Timers* profiled)
      : Executor(Backend::omp, threads, "omp:" + std::to_string(threads), make_host_profile(profiled)),
        memory_(std::make_shared<HostPool>()) {}
  OmpExecutor(int threads, const OmpExecutor& same)
      : Executor(Backend::omp, threads, "omp:" + std::to_string(threads), same.shared_profile()),
        memory_(same.memory_) {}

  void* allocate(std::size_t bytes) const override { return memory_->allocate(bytes, name()); }
  void deallocate(void* pointer, std::size_t bytes) const noexcept override { memory_->deallocate(pointer, bytes); }
  void* allocate_pinned(std::size_t bytes) const override { return allocate(bytes); }
  void deallocate_pinned(void* pointer, std::size_t bytes) const noexcept override { deallocate(pointer, bytes); }

  void copy_in_async(void* to, const void* host, std::size_t bytes, Queue) const override {
    copy("copy to device", to, host, bytes);
  }
  void copy_out_async(void* host, const void* from, std::size_t bytes, Queue) const override {
    copy("copy to host", host, from, bytes);
  }
  void copy_async(void* to, const void* from, std::size_t bytes, Queue) const override {
    copy("copy", to, from, bytes);
  }
  void copy_peer(void* to, const Executor& source, const void* from, std::size_t bytes) const override {
    // The source knows how its memory is read; the transfer queue, since its compute work has been waited for.
    source.copy_out_async(to, from, bytes, Queue::transfer);
    source.wait(source.record(Queue::transfer));
  }

  Event record(Queue queue) const override { return {queue, 0, nullptr}; }
  void wait(Queue, const Event&) const override {}
  void wait(const Event&) const override {}
  void synchronize() const override {}
  void run(Queue, std::function<void()> work) const override { work(); }

 private:
  void copy(const char* name, void* to, const void* from, std::size_t bytes) const {
    const KernelTimer timer(*this, {name, 2 * static_cast<double>(bytes)});
    copy_host(to, from, bytes, threads());
  }

  std::shared_ptr<HostPool> memory_;
};

}  // namespace

ExecutorPtr make_omp_executor(int threads, const Timers* profiled) {
  return std::make_shared<OmpExecutor>(threads, profiled);
}

ExecutorPtr with_threads(const ExecutorPtr& executor, int threads) {
  if (executor->backend() != Backend::omp || executor->threads() == threads) return executor;
  return std::make_shared<OmpExecutor>(threads, static_cast<const OmpExecutor&>(*executor));
}

}  // namespace halocline
