// Memory that an emulated device shares with other processes of its node, in a file without a name: it is gone with the
// last process that has it open. And the marks of its queues, which they wait for there.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace halocline {

// A number that only grows, and that threads of several processes wait for.
class SharedCount {
 public:
  std::int64_t now() const { return value_.load(); }
  // The larger of both; wakes who waits.
  void raise(std::int64_t value);
  // Returns when the number is `least` or more, or `stop` (may be null) is set and somebody was woken.
  void wait(std::int64_t least, const std::atomic<bool>* stop = nullptr);
  void wake();

 private:
  std::atomic<std::int64_t> value_{0};
  std::atomic<std::uint32_t> news_{0};  // changes when threads are to look
};

// At the start of the file. `wanted`: the largest mark that another process waits for; `reached`: the last one passed.
struct SharedBoard {
  struct Line {
    SharedCount wanted, reached;
  };
  std::array<std::uint64_t, 2> password{};  // tells that it is the file that was meant
  std::array<Line, 2> lines;                // of the compute queue and the transfer queue
};

// What another process finds the file by.
struct SharedFileKey {
  std::int64_t process = 0, file = 0;
  std::array<std::uint64_t, 2> password{};
};

class SharedFile {
 public:
  static constexpr std::size_t start = std::size_t{2} << 20;  // of the memory behind the board

  explicit SharedFile(std::size_t bytes);         // makes one with so many bytes behind the board
  explicit SharedFile(const SharedFileKey& key);  // opens that of another process; MachineError when it is not there
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  int descriptor() const { return file_; }
  SharedBoard& board() const { return *board_; }
  SharedFileKey key() const;

 private:
  void map_board();
  int file_ = -1;
  SharedBoard* board_ = nullptr;
};

}  // namespace halocline
