#include "lib/base/emulated/emulated_door.hpp"

#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "lib/base/emulated/emulated_executor.hpp"
#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/memory/poison.hpp"

namespace halocline {
namespace {

static_assert(sizeof(SharedFileKey) <= sizeof(DoorKey));

std::size_t index_of(Queue queue) { return queue == Queue::compute ? 0 : 1; }

// Memory of the peer is closed but during copies, as all memory of the device.
struct OpenedFile {
  explicit OpenedFile(const SharedFileKey& key)
      : file(key), gate(Arena::most_bytes, file.descriptor(), SharedFile::start) {
    gate.widen(gate.size());
  }
  SharedFile file;
  Gate gate;
};

class EmulatedPeer final : public PeerDoor {
 public:
  explicit EmulatedPeer(const SharedFileKey& key) : opened(std::make_shared<OpenedFile>(key)) {}
  void* open(const BlockKey& block) override { return opened->gate.base() + block.offset; }

  const std::shared_ptr<OpenedFile> opened;  // also held by queued work
};

// The marks of one queue. The work of a lazy device runs when its host waits; what another process waits for runs on a
// thread of the mark's own, as a GPU works without its host.
class Marks {
 public:
  Marks(const EmulatedExecutor& executor, Queue queue, SharedBoard::Line& line)
      : executor_(executor), queue_(queue), line_(line) {
    if (executor.lazy()) server_ = std::thread([this] { serve(); });
  }
  ~Marks() {
    stop_ = true;
    line_.wanted.wake();
    if (server_.joinable()) server_.join();
  }
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  Index put() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    const Index mark = ++last_;
    executor_.run(queue_, [this, mark] { line_.reached.raise(mark); });
    marks_.emplace_back(mark, executor_.record(queue_));
    while (marks_.front().first < line_.reached.now()) marks_.pop_front();
    return mark;
  }

 private:
  void serve() {
    for (Index served = 0;;) {
      line_.wanted.wait(served + 1, &stop_);
      if (stop_) return;
      served = line_.wanted.now();
      try {
        executor_.finish(event_of(served));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
      }
    }
  }
  Event event_of(Index mark) {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, event] : marks_)
      if (number >= mark) return event;
    return {queue_, 0, nullptr};  // passed long ago
  }

  const EmulatedExecutor& executor_;
  const Queue queue_;
  SharedBoard::Line& line_;
  std::mutex mutex_;
  Index last_ = 0;
  std::deque<std::pair<Index, Event>> marks_;  // from the last one known to be passed on
  std::exception_ptr failure_;                 // of work that the server ran
  std::atomic<bool> stop_{false};
  std::thread server_;
};

class EmulatedDoor final : public Door {
 public:
  explicit EmulatedDoor(const EmulatedExecutor& executor)
      : executor_(executor),
        compute_(executor, Queue::compute, executor.shared_file().board().lines[0]),
        transfer_(executor, Queue::transfer, executor.shared_file().board().lines[1]) {}

  DoorKey key() const override {
    const SharedFileKey file = executor_.shared_file().key();
    DoorKey key;
    std::memcpy(key.bytes.data(), &file, sizeof(file));
    return key;
  }
  std::unique_ptr<PeerDoor> open(const DoorKey& key) override {
    SharedFileKey file;
    std::memcpy(&file, key.bytes.data(), sizeof(file));
    return std::make_unique<EmulatedPeer>(file);
  }

  DoorBlock allocate(std::size_t bytes) override {
    Arena& arena = executor_.shared_arena();
    DoorBlock block{arena.allocate(bytes, executor_.name()), bytes, {}};
    block.key.offset = static_cast<std::uint64_t>(static_cast<char*>(block.data) - arena.gate()->base());
    return block;
  }
  void deallocate(const DoorBlock& block) noexcept override {
    executor_.synchronize();  // queued work may still use the block
    executor_.shared_arena().deallocate(block.data, block.bytes);
  }

  Index mark(Queue queue) override { return (queue == Queue::compute ? compute_ : transfer_).put(); }
  void wait(Queue queue, const PeerDoor& peer, Queue its, Index mark) override {
    executor_.run(queue, [opened = static_cast<const EmulatedPeer&>(peer).opened, its, mark] {
      SharedBoard::Line& line = opened->file.board().lines[index_of(its)];
      line.wanted.raise(mark);
      line.reached.wait(mark);
    });
  }
  bool kernels_reach_peers() const override { return false; }
  void copy_async(const PeerDoor& peer, void* to, const void* from, std::size_t bytes, Queue queue) override {
    executor_.run(queue, Label{"copy to peer", 2 * static_cast<double>(bytes)},
                  [opened = static_cast<const EmulatedPeer&>(peer).opened, to, from, bytes, n = executor_.threads()] {
                    const Opening open(&opened->gate);
                    permit(to, bytes);  // another arena may have been at these addresses
                    copy_host(to, from, bytes, n);
                  });
  }

 private:
  const EmulatedExecutor& executor_;
  Marks compute_, transfer_;
};

}  // namespace

std::unique_ptr<Door> make_emulated_door(const Executor& executor) {
  const auto* emulated = dynamic_cast<const EmulatedExecutor*>(&executor);
  return emulated == nullptr ? nullptr : std::make_unique<EmulatedDoor>(*emulated);
}

}  // namespace halocline
