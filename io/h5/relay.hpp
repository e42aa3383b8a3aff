// The way of bytes with places in a file from ranks that do not write to the one that writes for them: blocks of
// bounded size, of which two are under way from a rank and so many wait for the disk.
//
// A block has a word that tells whether it is its rank's last one, and records: place in the file, number of bytes, and
// these, filled up to whole words. MPI is called by main threads alone; a thread of the writer empties the inbox.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

#include "io/files.hpp"
#include "mpi/communicator.hpp"

namespace halocline::h5 {

inline constexpr std::size_t relay_block = std::size_t{1} << 20;    // bytes of the largest block
inline constexpr std::size_t inbox_bytes = std::size_t{256} << 20;  // that wait for the disk at most, per file

using Block = std::unique_ptr<std::byte[]>;  // with room for relay_block

// Sends to rank `to`. What begins ends with finish(), whatever happens, since that rank waits for it.
class RelaySender {
 public:
  RelaySender(const Communicator& comm, int to) : comm_(comm), to_(to) {}
  RelaySender(const RelaySender&) = delete;
  RelaySender& operator=(const RelaySender&) = delete;

  // Bytes that have their place in the file from `offset` on; they are copied.
  void put(std::size_t offset, std::span<const std::byte> bytes);
  // Sends the rest and returns when all has left.
  void finish();

 private:
  void send(bool last);
  const Communicator& comm_;
  int to_;
  std::array<std::vector<std::byte>, 2> blocks_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int filling_ = 0;
};

// Gives `write` the bytes of a block, and tells whether it was its rank's last one.
void unpack(std::span<const std::byte> block, const WriteAt& write);
bool is_last(std::span<const std::byte> block);

// Blocks between the main thread, which receives them, and the thread that writes them. Holds `most` bytes.
class Inbox {
 public:
  explicit Inbox(std::size_t most = inbox_bytes) : most_(std::max<std::size_t>(most / relay_block, 1)) {}

  // An empty block, once there are fewer than `most`; null where there is no memory for the first one.
  Block take();
  void push(Block block, std::size_t bytes);
  // Nothing more comes; with a failure of the one who received, which pour() throws.
  void close(std::exception_ptr failure = nullptr);

  // Writes what comes until the inbox is closed. When that fails, or `stop` is set, the rest is thrown away as it
  // comes, so that who sends never waits for a disk that is full.
  void pour(const WriteAt& write, const std::atomic<bool>* stop);
  // Throws away what comes.
  void discard() noexcept;

 private:
  struct Full {
    Block block;
    std::size_t bytes = 0;
  };
  bool pop(Full& full);
  void give_back(Block block);

  std::size_t most_, made_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<Full> full_;
  std::vector<Block> empty_;
  bool closed_ = false;
  std::exception_ptr failure_;
};

// Receives the blocks of ranks first ... last - 1, one rank after the other: `room` gives the memory for the next one,
// `got` is told its bytes. Neither may throw.
void receive_blocks(const Communicator& comm, int first, int last, const std::function<std::byte*()>& room,
                    const std::function<void(std::size_t)>& got);

}  // namespace halocline::h5
