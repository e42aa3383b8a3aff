// KernelProfile: how often the kernels of one executor ran, how long, and what they moved by the statements of their
// callers, by scope and name. KernelTimer measures one kernel; where the executor has no profile it costs a branch.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/executor.hpp"
#include "lib/base/profile/label.hpp"
#include "lib/base/timers.hpp"

namespace halocline {

class KernelProfile {
 public:
  struct Entry {
    std::size_t scope;  // entry of the timers that was open at the launch, or Timers::none
    std::string name;
    Index calls = 0;
    double seconds = 0;  // of the device
    double bytes = 0;
  };
  // One run of a kernel.
  struct Span {
    Label label{""};
    std::size_t scope = Timers::none;
    std::chrono::steady_clock::time_point start = {};
    void *first = nullptr, *last = nullptr;  // events of the device
  };

  // `scopes` outlives the profile.
  explicit KernelProfile(const Timers& scopes) : scopes_(&scopes) {}
  virtual ~KernelProfile() = default;
  KernelProfile(const KernelProfile&) = delete;
  KernelProfile& operator=(const KernelProfile&) = delete;

  // For a kernel that is launched now and may run later.
  Span span(const Label& label) const { return {label, scopes_->open()}; }
  // Before and after the kernel, on the thread that runs or launches it. By the clock of the host; a device with queues
  // of its own marks its queue. Safe to be called by several threads.
  virtual void begin(const Executor& executor, Queue queue, Span& span);
  virtual void end(const Executor& executor, Queue queue, const Span& span) noexcept;

  // What has been launched so far, by scope; waits for it.
  std::vector<Entry> entries();

 protected:
  void add(const Span& span, double seconds);
  virtual void settle() {}  // adds what is still under way

 private:
  const Timers* scopes_;
  std::mutex mutex_;
  std::vector<std::vector<Entry>> by_scope_;  // the first: in no scope
};

// By the clock of the host; null for null.
std::shared_ptr<KernelProfile> make_host_profile(const Timers* scopes);

// Measures what runs, or is put into the queue, from its construction to its end.
class KernelTimer {
 public:
  KernelTimer(const Executor& executor, const Label& label, Queue queue = Queue::compute)
      : profile_(executor.profile()), executor_(executor), queue_(queue) {
    if (profile_ != nullptr) begin(profile_->span(label));
  }
  // Of a kernel launched earlier, on an executor with a profile.
  KernelTimer(const Executor& executor, const KernelProfile::Span& span, Queue queue)
      : profile_(executor.profile()), executor_(executor), queue_(queue) {
    begin(span);
  }
  ~KernelTimer() {
    if (profile_ != nullptr) profile_->end(executor_, queue_, span_);
  }
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

 private:
  void begin(const KernelProfile::Span& span) {
    span_ = span;
    profile_->begin(executor_, queue_, span_);
  }

  KernelProfile* profile_;
  const Executor& executor_;
  Queue queue_;
  KernelProfile::Span span_;
};

// Does `work` as a kernel of a host device's compute queue. The host itself needs no queue.
template <class Work>
void run_kernel(const Executor& executor, const Label& label, const Work& work) {
  if (executor.backend() == Backend::omp) {
    const KernelTimer timer(executor, label);
    work();
  } else {
    executor.run(Queue::compute, label, work);
  }
}

}  // namespace halocline
