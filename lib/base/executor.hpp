// Executor: a device, that is, a place where memory lives and loops run. Passed explicitly, immutable, shared.
//
// `omp` is the host itself. `emulated` is a GPU in manners only: its memory is readable during launches and copies
// alone, and in lazy mode work is queued until the host waits, so a missing copy or wait shows on any machine.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "lib/base/profile/label.hpp"
#include "lib/base/types.hpp"

namespace halocline {

enum class Backend { omp, emulated, cuda };

// Work on one queue runs in order; the two queues of a device run independently unless an Event orders them.
enum class Queue { compute, transfer };

// A mark in a queue, reached when all work put there before has finished. Cheap to copy.
struct Event {
  Queue queue = Queue::compute;
  Index ticket = 0;
  std::shared_ptr<void> handle;  // of the backend, if it needs one
};

class KernelProfile;
class Timers;

class Executor {
 public:
  virtual ~Executor() = default;
  Backend backend() const { return backend_; }
  int threads() const { return threads_; }           // host threads a launch uses; 1 on a GPU
  const std::string& name() const { return name_; }  // "omp:8", "emulated:2", "cuda:1"

  virtual void* allocate(std::size_t bytes) const = 0;  // throws MachineError with needed and free bytes
  virtual void deallocate(void* pointer, std::size_t bytes) const noexcept = 0;
  virtual void* allocate_pinned(std::size_t bytes) const = 0;  // host memory that transfers fast
  virtual void deallocate_pinned(void* pointer, std::size_t bytes) const noexcept = 0;

  // Copies between this device and the host, ordered on `queue`; the host buffer must live until the queue is waited
  // for.
  virtual void copy_in_async(void* to, const void* host, std::size_t bytes, Queue queue) const = 0;
  virtual void copy_out_async(void* host, const void* from, std::size_t bytes, Queue queue) const = 0;
  virtual void copy_async(void* to, const void* from, std::size_t bytes, Queue queue) const = 0;  // inside the device
  // From memory of `source` into memory of this device; the caller has waited for the source's work.
  virtual void copy_peer(void* to, const Executor& source, const void* from, std::size_t bytes) const = 0;

  virtual Event record(Queue queue) const = 0;
  virtual void wait(Queue queue, const Event& event) const = 0;  // `queue` goes on after `event` (of this executor)
  virtual void wait(const Event& event) const = 0;               // the host goes on after `event`
  virtual void synchronize() const = 0;                          // the host goes on when both queues are empty

  // Runs host code as this device's work, for the backends omp and emulated; see run_kernel() in kernel_profile.hpp.
  void run(Queue queue, const Label& label, std::function<void()> work) const;
  // The same for work that no profile counts.
  virtual void run(Queue queue, std::function<void()> work) const = 0;

  // Where kernels and copies are counted and measured; null when nobody asked.
  KernelProfile* profile() const { return profile_.get(); }

  // The backend's own handle of a queue (cudaStream_t), null on the host.
  virtual void* native(Queue /*queue*/) const { return nullptr; }

  // Blocking copies, ordered after all work of the compute queue.
  void copy_in(void* to, const void* host, std::size_t bytes) const;
  void copy_out(void* host, const void* from, std::size_t bytes) const;

 protected:
  Executor(Backend backend, int threads, std::string name, std::shared_ptr<KernelProfile> profile = nullptr);
  const std::shared_ptr<KernelProfile>& shared_profile() const { return profile_; }

 private:
  std::shared_ptr<KernelProfile> profile_;
  Backend backend_;
  int threads_;
  std::string name_;
};

using ExecutorPtr = std::shared_ptr<const Executor>;

// The host with `threads` OpenMP threads. `profiled`: kernels are profiled, for the scopes of these timers, which
// outlive the executor; null: not.
ExecutorPtr make_omp_executor(int threads, const Timers* profiled = nullptr);
// The same host, with its memory and its profile, for launches of so many threads; another device itself.
ExecutorPtr with_threads(const ExecutorPtr& executor, int threads);
// A pretend GPU on the host; `lazy` queues work until the host waits.
ExecutorPtr make_emulated_executor(int threads, bool lazy, const Timers* profiled = nullptr);

}  // namespace halocline
