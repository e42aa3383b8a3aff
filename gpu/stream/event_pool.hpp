// Events of a device, which are costly to make, so they are used again.
#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <vector>

namespace halocline {

// Outlives the executor while an Event is held.
class EventPool {
 public:
  EventPool() = default;
  ~EventPool() {
    for (cudaEvent_t event : free_) cudaEventDestroy(event);
  }
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  // Null when there is none to use again.
  cudaEvent_t take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    const cudaEvent_t event = free_.back();
    free_.pop_back();
    return event;
  }
  void give_back(cudaEvent_t event) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.push_back(event);
    } catch (...) {
      cudaEventDestroy(event);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

}  // namespace halocline
