#include "lib/base/emulated/lines.hpp"

#include <utility>

namespace halocline {

void Lines::put(Queue queue, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  line(queue).work.push_back(std::move(work));
  ++line(queue).put;
}

Index Lines::put_so_far(Queue queue) const {
  const std::lock_guard lock(mutex_);
  return lines_[queue == Queue::compute ? 0 : 1].put;
}

void Lines::finish(Queue queue, Index ticket) {
  std::unique_lock lock(mutex_);
  Line& waiting = line(queue);
  const std::thread::id self = std::this_thread::get_id();
  for (;;) {
    // What this thread runs already, further out, is no obstacle to itself.
    const bool own = waiting.runner == self;
    if ((own ? waiting.taken : waiting.done) >= ticket) return;
    if (own || waiting.runner == std::thread::id()) {
      run_next(waiting, lock);
    } else {
      changed_.wait(lock);
    }
  }
}

void Lines::run_next(Line& line, std::unique_lock<std::mutex>& lock) {
  std::function<void()> work = std::move(line.work.front());
  line.work.pop_front();
  ++line.taken;
  const std::thread::id before = std::exchange(line.runner, std::this_thread::get_id());
  lock.unlock();
  const auto ended = [&] {
    lock.lock();
    line.runner = before;
    if (before == std::thread::id()) line.done = line.taken;
    changed_.notify_all();
  };
  try {
    work();
  } catch (...) {
    ended();
    throw;
  }
  ended();
  lock.unlock();
  work = nullptr;  // what it held may be given back, which waits for queues
  lock.lock();
}

}  // namespace halocline
