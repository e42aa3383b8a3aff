#include "mpi/team.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "lib/base/error.hpp"

namespace halocline {

struct Team::Threads {
  explicit Threads(int count) : errors(static_cast<std::size_t>(count)) {
    for (int part = 0; part < count; ++part) {
      threads.emplace_back([this, part] { serve(part); });
    }
  }
  ~Threads() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    begin.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  // Life of one thread: does its part of every round.
  void serve(int part) {
    long seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      begin.wait(lock, [&] { return stop || round != seen; });
      if (stop) return;
      seen = round;
      lock.unlock();
      std::exception_ptr error;
      try {
        call(context, part);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      errors[part] = error;
      if (--busy == 0) end.notify_one();
    }
  }

  void run(void (*new_call)(void*, int), void* new_context) {
    std::unique_lock lock(mutex);
    call = new_call;
    context = new_context;
    busy = static_cast<int>(threads.size());
    ++round;
    begin.notify_all();
    end.wait(lock, [&] { return busy == 0; });
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

  std::mutex mutex;
  std::condition_variable begin, end;
  void (*call)(void*, int) = nullptr;
  void* context = nullptr;
  long round = 0;
  int busy = 0;
  bool stop = false;
  std::vector<std::exception_ptr> errors;  // of the last round
  std::vector<std::thread> threads;
};

Team::Team(std::vector<ExecutorPtr> executors, int first_part, int total_parts, Transfer transfer)
    : executors_(std::move(executors)), first_part_(first_part), total_parts_(total_parts), transfer_(transfer) {
  require(!executors_.empty(), "Team: a rank drives at least one device");
  require(first_part >= 0 && first_part + parts() <= total_parts, "Team: part numbers");
  if (parts() > 1) threads_ = std::make_unique<Threads>(parts());
}

Team::~Team() = default;

void Team::run(void (*call)(void*, int), void* context) const { threads_->run(call, context); }

}  // namespace halocline
