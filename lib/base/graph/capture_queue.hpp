// CaptureQueue: what devices have that can record launches of their compute queue and launch them again as one, the
// GPUs and the emulated device. For LaunchGraph.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"

namespace halocline {

// A capture is begun, filled and ended by one thread. While it lasts, launches and copies inside the device are
// recorded and not carried out. The transfer queue, copies from and to the host, waits and memory are refused with an
// InternalError, which leaves the queue usable once the capture is dropped.
class CaptureQueue {
 public:
  virtual ~CaptureQueue() = default;
  CaptureQueue(const CaptureQueue&) = delete;
  CaptureQueue& operator=(const CaptureQueue&) = delete;

  bool capturing() const { return capturing_; }
  virtual void begin_capture() const = 0;
  // What was recorded. InternalError when memory was given back meanwhile, which the launches might use.
  virtual std::shared_ptr<void> end_capture() const = 0;
  virtual void drop_capture() const noexcept = 0;
  // Puts all of it into the compute queue; `name` stands for its kernels where faults are told.
  virtual void launch_captured(const std::shared_ptr<void>& graph, const char* name) const = 0;

 protected:
  CaptureQueue() = default;

  void refuse_in_capture(const char* what) const {
    if (capturing_) throw InternalError("a graph of launches cannot hold " + std::string(what));
  }
  // For functions that give memory back and may not throw: true when `give_back` is called after the capture.
  bool is_put_off(std::function<void()> give_back) const noexcept {
    if (!capturing_) return false;
    put_off_.push_back(std::move(give_back));
    return true;
  }
  void set_capturing() const { capturing_ = true; }
  // True when no memory was given back.
  bool leave_capture() const {
    capturing_ = false;
    for (const auto& give_back : put_off_) give_back();
    const bool clean = put_off_.empty();
    put_off_.clear();
    return clean;
  }
  static void require_clean(bool clean) {
    require(clean, "memory was given back while launches were captured for a graph");
  }

 private:
  mutable bool capturing_ = false;
  mutable std::vector<std::function<void()>> put_off_;
};

}  // namespace halocline
