#include "gpu/cuda_executor.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "gpu/cuda_faults.hpp"
#include "gpu/cuda_profile.hpp"
#include "gpu/devices.hpp"
#include "gpu/stream/event_pool.hpp"
#include "gpu/stream/stream_capture.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/graph/capture_queue.hpp"
#include "lib/base/memory/host_memory.hpp"

namespace halocline {
namespace {

std::string error_text(cudaError_t status) {
  return std::string(cudaGetErrorString(status)) + " (CUDA error " + std::to_string(static_cast<int>(status)) + ")";
}

std::string reason_of(cudaError_t status) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const bool known = status == cudaSuccess || status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
  // A driver that is a little older may still serve: then the runtime does not call it insufficient.
  return why_no_device(driver, status == cudaErrorInsufficientDriver ? runtime : driver,
                       known ? "" : "cudaGetDeviceCount failed: " + error_text(status));
}

class StreamExecutor final : public CudaExecutor, public CaptureQueue {
 public:
  StreamExecutor(int device, const CudaDevice& facts, const Timers* profiled)
      : CudaExecutor("cuda:" + std::to_string(device), facts.multiprocessors, facts.bus, make_cuda_profile(profiled)),
        device_(device),
        memory_(facts.memory),
        early_(facts.major >= 9) {
    activate();
    int pools = 0;
    check(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device_), "cudaDeviceGetAttribute");
    if (pools == 0) throw MachineError(name() + ": this device has no stream-ordered memory");
    check(cudaDeviceGetDefaultMemPool(&pool_, device_), "cudaDeviceGetDefaultMemPool");
    std::uint64_t keep_everything = UINT64_MAX;
    check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_everything), "cudaMemPoolSetAttribute");
    for (cudaStream_t& stream : streams_)
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~StreamExecutor() override {
    cudaSetDevice(device_);
    for (cudaStream_t stream : streams_)
      if (stream != nullptr) cudaStreamSynchronize(stream);
    scratch_.release(*this);
    accumulators_.release(*this);
    for (cudaStream_t stream : streams_)
      if (stream != nullptr) cudaStreamDestroy(stream);
  }

  void* allocate(std::size_t bytes) const override {
    activate_outside_capture(getting_memory);
    if (bytes > memory_) throw_out_of_memory(name(), bytes, free_bytes());
    void* pointer = nullptr;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    cudaError_t status = cudaMallocAsync(&pointer, size, compute());
    if (status == cudaErrorMemoryAllocation) {  // again, with what the pool holds back returned to the device
      cudaGetLastError();
      synchronize();
      check(cudaMemPoolTrimTo(pool_, 0), "cudaMemPoolTrimTo");
      status = cudaMallocAsync(&pointer, size, compute());
    }
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw_out_of_memory(name(), bytes, free_bytes());
    }
    check(status, "cudaMallocAsync");
    // The block may have been given back by work that still runs: the transfer queue must not overtake that.
    wait(Queue::transfer, record(Queue::compute));
    return pointer;
  }
  void deallocate(void* pointer, std::size_t) const noexcept override {
    if (pointer == nullptr || is_put_off([this, pointer] { deallocate(pointer, 0); })) return;
    try {
      activate();
      wait(Queue::compute, record(Queue::transfer));  // transfers may still use the block
      cudaFreeAsync(pointer, compute());
    } catch (...) {
      cudaGetLastError();  // a lost device has been reported by the call that found it
    }
  }
  void* allocate_own(std::size_t bytes) const override {
    activate_outside_capture(getting_memory);
    void* pointer = nullptr;
    const cudaError_t status = cudaMalloc(&pointer, std::max<std::size_t>(bytes, 1));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw_out_of_memory(name(), bytes, free_bytes());
    }
    check(status, "cudaMalloc");
    return pointer;
  }
  void deallocate_own(void* pointer) const noexcept override {
    if (is_put_off([this, pointer] { deallocate_own(pointer); })) return;
    cudaSetDevice(device_);
    cudaFree(pointer);  // waits for the device
    cudaGetLastError();
  }
  void* allocate_pinned(std::size_t bytes) const override {
    activate_outside_capture(getting_memory);
    void* pointer = nullptr;
    const cudaError_t status = cudaHostAlloc(&pointer, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw_out_of_memory(name() + " (pinned host memory)", bytes, free_memory());
    }
    check(status, "cudaHostAlloc");
    return pointer;
  }
  void deallocate_pinned(void* pointer, std::size_t) const noexcept override {
    if (pointer == nullptr || is_put_off([this, pointer] { deallocate_pinned(pointer, 0); })) return;
    cudaSetDevice(device_);
    for (cudaStream_t stream : streams_) cudaStreamSynchronize(stream);  // copies may still use it
    cudaFreeHost(pointer);
    cudaGetLastError();
  }

  void copy_in_async(void* to, const void* host, std::size_t bytes, Queue queue) const override {
    refuse_in_capture("a copy from the host");
    copy("copy to device", to, host, bytes, cudaMemcpyHostToDevice, queue);
  }
  void copy_out_async(void* host, const void* from, std::size_t bytes, Queue queue) const override {
    refuse_in_capture("a copy to the host");
    copy("copy to host", host, from, bytes, cudaMemcpyDeviceToHost, queue);
  }
  void copy_async(void* to, const void* from, std::size_t bytes, Queue queue) const override {
    copy("copy", to, from, bytes, cudaMemcpyDeviceToDevice, queue);
  }
  void open_peer(const CudaExecutor& other) const override {
    const auto& peer = dynamic_cast<const StreamExecutor&>(other);
    if (peer.device_ == device_) return;
    const auto bit = std::uint64_t{1} << (peer.device_ % 64);
    if ((opened_.fetch_or(bit) & bit) != 0) return;
    grant(peer.pool_, peer.device_, device_);
    grant(pool_, device_, peer.device_);
  }
  void copy_peer(void* to, const Executor& source, const void* from, std::size_t bytes) const override {
    if (bytes == 0) return;
    refuse_in_capture("a copy from another device");
    const auto* peer = dynamic_cast<const StreamExecutor*>(&source);
    if (peer == nullptr) return copy_from_host_device(to, source, from, bytes);
    const KernelTimer timer(*this, copy_label("copy from peer", bytes, cudaMemcpyDeviceToDevice), Queue::transfer);
    activate();
    if (peer->device_ == device_) {
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream(Queue::transfer)), "cudaMemcpyAsync");
    } else {
      open_peer(*peer);
      check(cudaMemcpyPeerAsync(to, device_, from, peer->device_, bytes, stream(Queue::transfer)),
            "cudaMemcpyPeerAsync");
    }
    // As if the host had waited: later work of either device comes after the copy.
    const Event copied = record(Queue::transfer);
    wait(Queue::compute, copied);
    peer->wait(Queue::compute, copied);
    peer->wait(Queue::transfer, copied);
  }

  Event record(Queue queue) const override {
    activate_outside_capture("a mark in a queue");
    cudaEvent_t event = events_->take();
    if (event == nullptr) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    std::shared_ptr<void> handle(event,
                                 [pool = events_](void* used) { pool->give_back(static_cast<cudaEvent_t>(used)); });
    const Index ticket = queue == Queue::compute ? launches_.launched() : 0;
    check(cudaEventRecord(event, stream(queue)), "cudaEventRecord");
    return {queue, ticket, std::move(handle)};
  }
  void wait(Queue queue, const Event& event) const override {
    if (!event.handle) return;
    activate_outside_capture(waiting);
    check(cudaStreamWaitEvent(stream(queue), static_cast<cudaEvent_t>(event.handle.get()), 0), "cudaStreamWaitEvent");
  }
  void wait(const Event& event) const override {
    if (!event.handle) return;
    activate_outside_capture(waiting);
    check(cudaEventSynchronize(static_cast<cudaEvent_t>(event.handle.get())), "cudaEventSynchronize");
    launches_.finished(event.ticket);
  }
  void synchronize() const override {
    activate_outside_capture(waiting);
    const Index ticket = launches_.launched();
    for (cudaStream_t stream : streams_) check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    launches_.finished(ticket);
  }
  void run(Queue, std::function<void()>) const override {
    throw InternalError(name() +
                        ": host code cannot be this device's work; is the source that launches it listed in "
                        "halocline_kernels()?");
  }
  void* native(Queue queue) const override {
    activate();
    if (queue == Queue::transfer) refuse_in_capture(transfers);
    return stream(queue);
  }

  void begin_capture() const override {
    activate_outside_capture("another one's capture");
    check(cudaStreamBeginCapture(compute(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    set_capturing();
  }
  std::shared_ptr<void> end_capture() const override {
    activate();
    std::shared_ptr<void> graph;
    const cudaError_t status = end_stream_capture(device_, compute(), graph);
    const bool clean = leave_capture();
    check(status, "capture of launches");
    require_clean(clean);
    return graph;
  }
  void drop_capture() const noexcept override {
    cudaSetDevice(device_);
    drop_stream_capture(compute());
    leave_capture();
  }
  void launch_captured(const std::shared_ptr<void>& graph, const char* name) const override {
    activate();
    check(launch_stream_capture(graph, compute()), "cudaGraphLaunch");
    launches_.note(name);
  }

  bool launches_early() const override { return early_ && capturing(); }
  CudaScratch scratch(std::size_t bytes) const override { return scratch_.at_least(*this, bytes, false); }
  CudaScratch accumulators(std::size_t bytes) const override { return accumulators_.at_least(*this, bytes, true); }
  void wait_for(const std::uint64_t* flag, std::uint64_t value) const override {
    activate_outside_capture(waiting);
    const Index ticket = launches_.launched();
    const auto arrived = [&] { return __atomic_load_n(flag, __ATOMIC_ACQUIRE) >= value; };
    constexpr int spins = 4096;  // between looks at the queue, which cost more
    for (;;) {
      for (int i = 0; i < spins; ++i)
        if (arrived()) return launches_.finished(ticket);
      const cudaError_t status = cudaStreamQuery(compute());
      if (status == cudaErrorNotReady) {
        std::this_thread::yield();
        continue;
      }
      check(status, "cudaStreamQuery");
      if (arrived()) return launches_.finished(ticket);
      throw InternalError(name() + ": a kernel ended without its sums");
    }
  }
  void fetch_scratch(std::size_t bytes) const override {
    activate_outside_capture(waiting);
    const Index ticket = launches_.launched();
    check(cudaMemcpyAsync(scratch_.memory.pinned, scratch_.memory.device, bytes, cudaMemcpyDeviceToHost, compute()),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(compute()), "cudaStreamSynchronize");
    launches_.finished(ticket);
  }
  void note_launch(const char* kernel) const override {
    launches_.note(kernel);
    const cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess) return;
    throw MachineError(name() + ": launch of kernel '" + kernel + "' failed: " + error_text(status) +
                       launches_.suspects());
  }

  // With what the pool holds unused.
  std::size_t free_bytes() const override {
    activate();
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    std::uint64_t reserved = 0, used = 0;
    check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved), "cudaMemPoolGetAttribute");
    check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used), "cudaMemPoolGetAttribute");
    return free + static_cast<std::size_t>(reserved - used);
  }

 private:
  // The one place where a failing CUDA call becomes an error.
  void check(cudaError_t status, const char* call) const {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw MachineError(name() + ": " + call + " failed: " + error_text(status) + launches_.suspects());
  }
  // The current device belongs to the calling thread; every entry point sets it, which costs nothing when it is set.
  void activate() const { check(cudaSetDevice(device_), "cudaSetDevice"); }
  // The same for what a graph of launches cannot hold.
  void activate_outside_capture(const char* what) const {
    refuse_in_capture(what);
    activate();
  }
  static constexpr const char *getting_memory = "the allocation of memory", *waiting = "a wait",
                              *transfers = "work of the transfer queue";
  cudaStream_t stream(Queue queue) const { return streams_[queue == Queue::compute ? 0 : 1]; }
  cudaStream_t compute() const { return streams_[0]; }

  // By what the device's memory has to do.
  static Label copy_label(const char* name, std::size_t bytes, cudaMemcpyKind kind) {
    return {name, (kind == cudaMemcpyDeviceToDevice ? 2 : 1) * static_cast<double>(bytes)};
  }
  void copy(const char* name, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Queue queue) const {
    if (bytes == 0) return;
    activate();
    if (queue == Queue::transfer) refuse_in_capture(transfers);
    const KernelTimer timer(*this, copy_label(name, bytes, kind), queue);
    check(cudaMemcpyAsync(to, from, bytes, kind, stream(queue)), "cudaMemcpyAsync");
  }
  // From the host or an emulated device, whose memory only its own executor may read.
  void copy_from_host_device(void* to, const Executor& source, const void* from, std::size_t bytes) const {
    std::vector<char> staging(bytes);
    source.copy_out_async(staging.data(), from, bytes, Queue::transfer);
    source.wait(source.record(Queue::transfer));
    copy("copy from peer", to, staging.data(), bytes, cudaMemcpyHostToDevice, Queue::transfer);
    const Event copied = record(Queue::transfer);
    wait(Queue::compute, copied);
    wait(copied);
  }
  void grant(cudaMemPool_t pool, int owner, int user) const {
    int possible = 0;
    check(cudaDeviceCanAccessPeer(&possible, user, owner), "cudaDeviceCanAccessPeer");
    if (possible == 0) return;
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = user;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    check(cudaMemPoolSetAccess(pool, &access, 1), "cudaMemPoolSetAccess");
  }
  // Memory that grows and is kept.
  struct Kept {
    CudaScratch memory;
    std::size_t size = 0;
    CudaScratch at_least(const StreamExecutor& executor, std::size_t bytes, bool zero) {
      if (bytes <= size) return memory;
      release(executor);
      const std::size_t wanted = std::max<std::size_t>(2 * bytes, std::size_t{1} << 16);
      memory.device = executor.allocate(wanted);
      memory.pinned = executor.allocate_pinned(wanted);
      size = wanted;
      if (zero) executor.check(cudaMemsetAsync(memory.device, 0, size, executor.compute()), "cudaMemsetAsync");
      return memory;
    }
    void release(const StreamExecutor& executor) noexcept {
      executor.deallocate(memory.device, size);
      executor.deallocate_pinned(memory.pinned, size);
      memory = {};
      size = 0;
    }
  };

  int device_;
  std::size_t memory_;  // of the whole device
  bool early_;          // the device has early launches
  cudaMemPool_t pool_ = nullptr;
  std::array<cudaStream_t, 2> streams_{};
  std::shared_ptr<EventPool> events_ = std::make_shared<EventPool>();
  mutable Launches launches_;
  mutable std::atomic<std::uint64_t> opened_{0};
  mutable Kept scratch_, accumulators_;
};

}  // namespace

bool built_with_cuda() { return true; }

CudaDevices cuda_devices() {
  int count = 0;  // left untouched by a failing call
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status != cudaSuccess || count == 0) return {{}, reason_of(status)};
  CudaDevices devices;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp facts{};
    if (cudaGetDeviceProperties(&facts, device) != cudaSuccess) {
      cudaGetLastError();
      devices.list.push_back({"unknown device", 0, 0, 0, 0, {}});
      continue;
    }
    devices.list.push_back({facts.name, facts.major, facts.minor, facts.totalGlobalMem, facts.multiProcessorCount,
                            formatted("{:04x}:{:02x}:{:02x}.0", facts.pciDomainID, facts.pciBusID, facts.pciDeviceID)});
  }
  return devices;
}

ExecutorPtr make_cuda_executor(int device, const Timers* profiled) {
  const CudaDevices devices = cuda_devices();
  const std::string fault = why_not_device(device, devices);
  if (!fault.empty()) throw MachineError(fault);
  return std::make_shared<StreamExecutor>(device, devices.list[static_cast<std::size_t>(device)], profiled);
}

}  // namespace halocline
