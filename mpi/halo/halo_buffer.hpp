// Memory of a halo: values of one device, for its own work or for MPI.
#pragma once

#include <utility>

#include "gpu/devices.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/view.hpp"

namespace halocline {

enum class HaloMemory { pinned, device, plain };  // page-locked on the host; of the device; of the device, for MPI

template <class T>
class HaloBuffer {
 public:
  HaloBuffer() = default;
  HaloBuffer(ExecutorPtr executor, HaloMemory memory, Index values)
      : executor_(std::move(executor)), memory_(memory), values_(values) {
    void* data = memory == HaloMemory::pinned   ? executor_->allocate_pinned(bytes())
                 : memory == HaloMemory::device ? executor_->allocate(bytes())
                                                : allocate_plain(*executor_, bytes());
    data_ = static_cast<T*>(data);
  }
  HaloBuffer(HaloBuffer&& other) noexcept { swap(other); }
  HaloBuffer& operator=(HaloBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~HaloBuffer() {
    if (data_ == nullptr) return;
    if (memory_ == HaloMemory::pinned) executor_->deallocate_pinned(data_, bytes());
    if (memory_ == HaloMemory::device) executor_->deallocate(data_, bytes());
    if (memory_ == HaloMemory::plain) deallocate_plain(*executor_, data_, bytes());
  }

  T* data() const { return data_; }
  View<T, 1> view() const { return View<T, 1>(data_, values_); }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(values_) * sizeof(T); }
  void swap(HaloBuffer& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(memory_, other.memory_);
    std::swap(values_, other.values_);
    std::swap(data_, other.data_);
  }

  ExecutorPtr executor_;
  HaloMemory memory_ = HaloMemory::device;
  Index values_ = 0;
  T* data_ = nullptr;
};

}  // namespace halocline
