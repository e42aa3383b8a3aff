// The door of a GPU by CUDA IPC: blocks of memory from cudaMalloc (that of stream-ordered pools cannot be shared so),
// whose handles other processes open, and events that are made for several processes.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda_executor.hpp"
#include "gpu/doors/make_door.hpp"
#include "lib/base/error.hpp"
#include "lib/base/memory/free_list.hpp"
#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {
namespace {

constexpr Index ring = 4;  // events of a queue, recorded in turn; there are few of them to be had on a machine
using Handles = std::array<cudaIpcEventHandle_t, 2 * ring>;  // of the compute queue, then of the transfer queue
using Events = std::array<cudaEvent_t, 2 * ring>;
static_assert(sizeof(Handles) <= sizeof(DoorKey) && sizeof(cudaIpcMemHandle_t) <= sizeof(BlockKey::bytes));

std::size_t place_of(Queue queue, Index mark) {
  return static_cast<std::size_t>((queue == Queue::compute ? 0 : ring) + mark % ring);
}

// The device of one executor, current for the calling thread after enter().
class Entrance {
 public:
  explicit Entrance(const Executor& executor) : executor(executor) {}
  cudaStream_t stream(Queue queue) const { return static_cast<cudaStream_t>(executor.native(queue)); }
  void enter() const { stream(Queue::compute); }
  void check(cudaError_t status, const char* call) const {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw MachineError(executor.name() + ": " + call + " failed: " + cudaGetErrorString(status) + " (CUDA error " +
                       std::to_string(static_cast<int>(status)) + ")");
  }

  const Executor& executor;
};

class CudaPeer final : public PeerDoor {
 public:
  CudaPeer(const Entrance& entrance, const DoorKey& key) : entrance_(entrance) {
    Handles handles;
    std::memcpy(&handles, key.bytes.data(), sizeof(handles));
    entrance_.enter();
    for (std::size_t e = 0; e < events.size(); ++e)
      entrance_.check(cudaIpcOpenEventHandle(&events[e], handles[e]), "cudaIpcOpenEventHandle");
  }
  ~CudaPeer() override {
    try {
      entrance_.enter();
    } catch (...) {
      return;  // a lost device has been reported by the call that found it
    }
    for (const auto& [handle, memory] : opened_) cudaIpcCloseMemHandle(memory);
    for (cudaEvent_t event : events)
      if (event != nullptr) cudaEventDestroy(event);
    cudaGetLastError();
  }
  void* open(const BlockKey& block) override {
    const auto same = [&](const auto& entry) { return entry.first == block.bytes; };
    auto found = std::find_if(opened_.begin(), opened_.end(), same);
    if (found == opened_.end()) {
      cudaIpcMemHandle_t handle;
      std::memcpy(&handle, block.bytes.data(), sizeof(handle));
      entrance_.enter();
      void* memory = nullptr;
      entrance_.check(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
      found = opened_.insert(opened_.end(), {block.bytes, static_cast<char*>(memory)});
    }
    return found->second + block.offset;
  }

  Events events{};

 private:
  const Entrance& entrance_;
  std::vector<std::pair<decltype(BlockKey::bytes), char*>> opened_;
};

// A piece of device memory that blocks are cut from.
struct Chunk {
  explicit Chunk(std::size_t bytes) : size(bytes), free(bytes) {}
  std::size_t size;
  char* memory = nullptr;
  decltype(BlockKey::bytes) handle{};
  FreeList free;
};

class CudaDoor final : public Door {
 public:
  explicit CudaDoor(const CudaExecutor& executor) : executor_(executor), entrance_(executor) {
    entrance_.enter();
    constexpr unsigned flags = cudaEventDisableTiming | cudaEventInterprocess;
    for (std::size_t e = 0; e < events_.size(); ++e) {
      entrance_.check(cudaEventCreateWithFlags(&events_[e], flags), "cudaEventCreate for several processes");
      entrance_.check(cudaIpcGetEventHandle(&handles_[e], events_[e]), "cudaIpcGetEventHandle");
    }
  }
  ~CudaDoor() override {
    for (const Chunk& chunk : chunks_) executor_.deallocate_own(chunk.memory);
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaGetLastError();
  }

  DoorKey key() const override {
    DoorKey key;
    std::memcpy(key.bytes.data(), &handles_, sizeof(handles_));
    return key;
  }
  std::unique_ptr<PeerDoor> open(const DoorKey& key) override { return std::make_unique<CudaPeer>(entrance_, key); }

  DoorBlock allocate(std::size_t bytes) override {
    const std::size_t length = padded(bytes);
    for (Chunk& chunk : chunks_)
      if (const auto offset = chunk.free.take(length)) return block(chunk, *offset, bytes);
    add_chunk(length);
    return block(chunks_.back(), *chunks_.back().free.take(length), bytes);
  }
  // Whoever gets it next is told a mark behind all work of this device that uses it now.
  void deallocate(const DoorBlock& block) noexcept override {
    for (Chunk& chunk : chunks_)
      if (chunk.handle == block.key.bytes) chunk.free.give_back(block.key.offset, padded(block.bytes));
  }

  Index mark(Queue queue) override {
    Index& last = last_[queue == Queue::compute ? 0 : 1];
    const cudaStream_t stream = entrance_.stream(queue);
    entrance_.check(cudaEventRecord(events_[place_of(queue, ++last)], stream), "cudaEventRecord");
    return last;
  }
  void wait(Queue queue, const PeerDoor& peer, Queue its, Index mark) override {
    const cudaEvent_t event = static_cast<const CudaPeer&>(peer).events[place_of(its, mark)];
    entrance_.check(cudaStreamWaitEvent(entrance_.stream(queue), event, 0), "cudaStreamWaitEvent");
  }
  bool kernels_reach_peers() const override { return true; }
  void copy_async(const PeerDoor&, void* to, const void* from, std::size_t bytes, Queue queue) override {
    const cudaStream_t stream = entrance_.stream(queue);
    const KernelTimer timer(executor_, Label{"copy to peer", static_cast<double>(bytes)}, queue);
    entrance_.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  }

 private:
  static std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  static DoorBlock block(const Chunk& chunk, std::size_t offset, std::size_t bytes) {
    return {chunk.memory + offset, bytes, {chunk.handle, offset}};
  }
  // Large enough that few are needed, since each is opened by every peer.
  void add_chunk(std::size_t least) {
    constexpr std::size_t first = std::size_t{4} << 20, most = std::size_t{64} << 20;
    const std::size_t usual = chunks_.empty() ? first : std::min(2 * chunks_.back().size, most);
    Chunk chunk(std::max(least, usual));
    chunk.memory = static_cast<char*>(executor_.allocate_own(chunk.size));
    cudaIpcMemHandle_t handle;
    const cudaError_t status = cudaIpcGetMemHandle(&handle, chunk.memory);
    if (status != cudaSuccess) executor_.deallocate_own(chunk.memory);
    entrance_.check(status, "cudaIpcGetMemHandle");
    std::memcpy(chunk.handle.data(), &handle, sizeof(handle));
    chunks_.push_back(std::move(chunk));
  }

  const CudaExecutor& executor_;
  const Entrance entrance_;
  Events events_{};
  Handles handles_{};
  std::array<Index, 2> last_{};
  std::vector<Chunk> chunks_;
};

}  // namespace

std::unique_ptr<Door> make_cuda_door(const Executor& executor) {
  const auto* gpu = dynamic_cast<const CudaExecutor*>(&executor);
  return gpu == nullptr ? nullptr : std::make_unique<CudaDoor>(*gpu);
}

}  // namespace halocline
