// GPUs through CUDA, as the rest of gpu/ sees them: which there are, an executor for one, and what kernels launched by
// gpu/launch_cuda.cuh ask of it. Plain C++ without CUDA headers: a build without CUDA brings no_cuda.cpp instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/executor.hpp"

namespace halocline {

struct CudaDevice {
  std::string name;          // "NVIDIA H200"
  int major = 0, minor = 0;  // compute capability
  std::size_t memory = 0;    // bytes
  int multiprocessors = 0;
  std::string bus = {};  // place on the PCI bus: "0000:4b:00.0"
};

struct CudaDevices {
  std::vector<CudaDevice> list;
  std::string why_none;  // one line when `list` is empty: no CUDA in this build, no driver, driver too old, no device
};

// The devices visible to this process (CUDA_VISIBLE_DEVICES counts). Asks the driver, creates no context, never throws.
CudaDevices cuda_devices();

// An executor for device `device`, named "cuda:<device>". Several may share one device. Throws MachineError when there
// is no such device. `profiled` as for make_omp_executor().
ExecutorPtr make_cuda_executor(int device, const Timers* profiled = nullptr);

// The host goes on when work of the compute queue of any executor has come to set_flag(flag, value), or beyond; see
// lib/base/atomics.hpp. `flag` lies in pinned memory of the executor and never falls.
void wait_for_flag(const Executor& executor, const std::uint64_t* flag, std::uint64_t value);

// Memory kept by an executor for the results of sums and reductions.
struct CudaScratch {
  void* device = nullptr;
  void* pinned = nullptr;  // on the host, of the same size
};

class CudaExecutor : public Executor {
 public:
  // At least `bytes` of each kind, valid until the next call. Whoever uses it holds scratch_mutex().
  virtual CudaScratch scratch(std::size_t bytes) const = 0;
  std::mutex& scratch_mutex() const { return scratch_mutex_; }

  // Remembers a kernel by name (a string that lives on), so that a fault can be told with its suspects; throws when
  // the launch just made was refused.
  virtual void note_launch(const char* name) const = 0;

  // Whether launches that can begin early do so now, see gpu/stream/early_launch.hpp.
  virtual bool launches_early() const = 0;

  // Copies device scratch to pinned scratch and waits for it, ordered on the compute queue.
  virtual void fetch_scratch(std::size_t bytes) const = 0;

  // As scratch(), but the device memory is zero at first and whoever uses it leaves it zero.
  virtual CudaScratch accumulators(std::size_t bytes) const = 0;
  // The host goes on when a kernel of the compute queue has written `value` or more to `flag` in pinned host memory.
  // Takes less than a wait for the queue; throws when the queue failed or ended without that.
  virtual void wait_for(const std::uint64_t* flag, std::uint64_t value) const = 0;

  // Memory of the device outside its pool, see allocate_plain() in gpu/devices.hpp.
  virtual void* allocate_own(std::size_t bytes) const = 0;
  virtual void deallocate_own(void* pointer) const noexcept = 0;

  // Lets both devices reach each other's pools where the hardware can, since either may carry out a copy between them;
  // otherwise the driver stages through the host.
  virtual void open_peer(const CudaExecutor& other) const = 0;

  int multiprocessors() const { return multiprocessors_; }
  const std::string& bus() const { return bus_; }  // of the device
  virtual std::size_t free_bytes() const = 0;      // of the device, now

 protected:
  CudaExecutor(std::string name, int multiprocessors, std::string bus, std::shared_ptr<KernelProfile> profile)
      : Executor(Backend::cuda, 1, std::move(name), std::move(profile)),
        multiprocessors_(multiprocessors),
        bus_(std::move(bus)) {}

 private:
  int multiprocessors_;
  std::string bus_;
  mutable std::mutex scratch_mutex_;
};

}  // namespace halocline
