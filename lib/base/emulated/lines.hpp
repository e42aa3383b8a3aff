// Lines: the two queues of the lazy emulated device, which hold work until somebody waits for it.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "lib/base/executor.hpp"

namespace halocline {

// Safe to be called by several threads. Work runs on a thread that waits, outside the lock.
class Lines {
 public:
  void put(Queue queue, std::function<void()> work);
  // Counts what was put since the start: the number of a ticket.
  Index put_so_far(Queue queue) const;
  // Runs `queue` up to a ticket, or waits for another thread that does. Work that waits for the other queue runs that
  // one from inside, and no further. Rethrows what the work throws.
  void finish(Queue queue, Index ticket);

 private:
  struct Line {
    std::deque<std::function<void()>> work;
    Index put = 0, taken = 0, done = 0;
    std::thread::id runner;  // whose work is under way
  };
  Line& line(Queue queue) { return lines_[queue == Queue::compute ? 0 : 1]; }
  void run_next(Line& line, std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Line, 2> lines_;
};

}  // namespace halocline
