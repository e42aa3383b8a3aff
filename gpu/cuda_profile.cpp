#include "gpu/cuda_profile.hpp"

#include <cuda_runtime.h>

#include <deque>
#include <utility>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

class CudaProfile final : public KernelProfile {
 public:
  using KernelProfile::KernelProfile;
  ~CudaProfile() override {
    for (const Span& span : pending_) give_back(span);
    for (cudaEvent_t event : free_) cudaEventDestroy(event);
  }

  void begin(const Executor& executor, Queue queue, Span& span) override {
    auto* const stream = static_cast<cudaStream_t>(executor.native(queue));  // also makes the device current
    const std::lock_guard lock(mutex_);
    span.first = take();
    span.last = take();
    cudaEventRecord(static_cast<cudaEvent_t>(span.first), stream);
  }

  // A failing call shows at the next call that is checked, as all faults of a device do.
  void end(const Executor& executor, Queue queue, const Span& span) noexcept override {
    cudaEventRecord(static_cast<cudaEvent_t>(span.last), static_cast<cudaStream_t>(executor.native(queue)));
    const std::lock_guard lock(mutex_);
    pending_.push_back(span);
    if (pending_.size() >= most_pending) read(most_pending / 2);
  }

 private:
  static constexpr std::size_t most_pending = 4096;  // kernels; the older half has long passed by then

  void settle() override {
    const std::lock_guard lock(mutex_);
    read(pending_.size());
  }
  // Reads and forgets the `count` oldest.
  void read(std::size_t count) {
    for (; count > 0; --count) {
      const Span span = pending_.front();
      pending_.pop_front();
      float milliseconds = 0;
      const auto first = static_cast<cudaEvent_t>(span.first), last = static_cast<cudaEvent_t>(span.last);
      const bool passed =
          cudaEventSynchronize(last) == cudaSuccess && cudaEventElapsedTime(&milliseconds, first, last) == cudaSuccess;
      add(span, passed ? 1e-3 * static_cast<double>(milliseconds) : 0);
      give_back(span);
    }
  }
  cudaEvent_t take() {
    cudaEvent_t event = nullptr;
    if (free_.empty()) {
      if (cudaEventCreate(&event) != cudaSuccess) throw MachineError("profile: no event can be made");
    } else {
      event = free_.back();
      free_.pop_back();
    }
    return event;
  }
  void give_back(const Span& span) {
    free_.push_back(static_cast<cudaEvent_t>(span.first));
    free_.push_back(static_cast<cudaEvent_t>(span.last));
  }

  std::mutex mutex_;
  std::deque<Span> pending_;  // in the order of their ends
  std::vector<cudaEvent_t> free_;
};

}  // namespace

std::shared_ptr<KernelProfile> make_cuda_profile(const Timers* scopes) {
  return scopes == nullptr ? nullptr : std::make_shared<CudaProfile>(*scopes);
}

}  // namespace halocline
