// What is said when GPUs fail: plain C++, so that every message can be tested without a GPU.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>

#include "gpu/cuda_executor.hpp"

namespace halocline {

// Why the CUDA runtime finds no device. Versions as CUDA counts them (13000: 13.0); `driver` is 0 without a driver,
// which the runtime reports as an insufficient one. `other` is the runtime's text for any other failure, or "".
std::string why_no_device(int driver, int runtime, const std::string& other);

// Why device `device` cannot be used when `devices` are there, in one line; "" when it can.
std::string why_not_device(int device, const CudaDevices& devices);

// Names of the last kernels that may still run. A GPU reports a fault when the host next waits, so these are its
// suspects. Launches come from one thread at a time; others may read.
class Launches {
 public:
  void note(const char* name);  // copies the name, cut to 47 characters
  Index launched() const { return launched_.load(std::memory_order_acquire); }
  // The first `ticket` launches have ended well.
  void finished(Index ticket);
  // "; kernels since the last wait: a, b", or nothing; of many the last eight, each name once.
  std::string suspects() const;

 private:
  mutable std::mutex mutex_;
  std::array<std::array<char, 48>, 8> names_{};
  std::atomic<Index> launched_{0}, finished_{0};
};

}  // namespace halocline
