// Door: how processes of one node reach each other's devices past MPI: memory of one device that another process writes
// to, and marks in its queues that queues of the other process wait for. GPUs and the emulated device have doors.
//
// A mark is a number that its process tells the other by a message, after it has put the mark into its queue. A wait
// for a mark is therefore only ever put into a queue when all that the mark stands for is in queues already, and what
// these wait for in turn was put there before. So waits cannot be circular, however many queues the hardware really
// has, and no process needs to wait for a device: a message tells that work was queued, not that it is done. A wait may
// last for a later mark of the same queue than the one asked for, if that was put there before the wait: a CUDA event
// that is recorded again stands for its last record. That too was queued before, so nothing changes but the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "lib/base/executor.hpp"

namespace halocline {

// What other processes open a door by, and a block of its memory. Sent as they are; what they hold is the backend's.
struct DoorKey {
  std::array<char, 512> bytes{};
};
struct BlockKey {
  std::array<char, 64> bytes{};
  std::uint64_t offset = 0;  // of the block in what the bytes stand for
};

// Memory that other processes may open, on the device.
struct DoorBlock {
  void* data = nullptr;
  std::size_t bytes = 0;
  BlockKey key;
};

// The door of another process, opened from a device of this one. Its memory stays open as long as this lives.
class PeerDoor {
 public:
  virtual ~PeerDoor() = default;
  PeerDoor(const PeerDoor&) = delete;
  PeerDoor& operator=(const PeerDoor&) = delete;
  // Where the block lies for copies by the opening device. MachineError when it cannot be opened.
  virtual void* open(const BlockKey& block) = 0;

 protected:
  PeerDoor() = default;
};

// Of one executor, which outlives it. One thread at a time. Memory is the device's again when the door is gone: by then
// no other process may have it open.
class Door {
 public:
  virtual ~Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  virtual DoorKey key() const = 0;
  // MachineError when this device cannot reach that one.
  virtual std::unique_ptr<PeerDoor> open(const DoorKey& key) = 0;

  // Blocks that are given back are used again, under the same keys.
  virtual DoorBlock allocate(std::size_t bytes) = 0;
  virtual void deallocate(const DoorBlock& block) noexcept = 0;

  // Puts the next mark into the queue.
  virtual Index mark(Queue queue) = 0;
  // `queue` goes on after a mark of the peer's queue `its`, which its process has told; see above.
  virtual void wait(Queue queue, const PeerDoor& peer, Queue its, Index mark) = 0;
  // Whether kernels of this device may write to opened blocks, as copies may.
  virtual bool kernels_reach_peers() const = 0;
  // From memory of this device to an opened block.
  virtual void copy_async(const PeerDoor& peer, void* to, const void* from, std::size_t bytes, Queue queue) = 0;

 protected:
  Door() = default;
};

}  // namespace halocline
