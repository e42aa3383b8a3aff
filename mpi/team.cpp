#include "mpi/team.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "gpu/devices.hpp"
#include "lib/base/error.hpp"
#include "mpi/binding.hpp"

namespace halocline {

struct Team::Threads {
  // One thread per set of cores.
  explicit Threads(const std::vector<std::vector<int>>& cores) : errors(cores.size()) {
    for (std::size_t part = 0; part < cores.size(); ++part) {
      threads.emplace_back([this, part, own = cores[part]] {
        bind_thread(own);
        serve(static_cast<int>(part));
      });
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

namespace {

std::vector<std::vector<int>> cores_of(const std::vector<ExecutorPtr>& executors) {
  std::vector<CoreWish> wishes;
  for (const ExecutorPtr& executor : executors)
    wishes.push_back({executor->threads(), cores_near(*executor), executor->backend() == Backend::cuda});
  return openmp_is_bound() ? std::vector<std::vector<int>>(executors.size()) : share_cores(usable_cores(), wishes);
}

}  // namespace

Team::Team(std::vector<ExecutorPtr> executors, int first_part, int total_parts, Transfer transfer, Timers* profiled)
    : executors_(std::move(executors)),
      first_part_(first_part),
      total_parts_(total_parts),
      transfer_(transfer),
      profiled_(profiled) {
  require(!executors_.empty(), "Team: a rank drives at least one device");
  require(first_part >= 0 && first_part + parts() <= total_parts, "Team: part numbers");
  const std::vector<std::vector<int>> cores = cores_of(executors_);
  if (parts() > 1) {
    threads_ = std::make_unique<Threads>(cores);
  } else if (executors_[0]->backend() == Backend::cuda) {
    std::vector<int> before = usable_cores();
    if (bind_thread(cores[0])) callers_cores_ = std::move(before);
  }
}

Team::~Team() { bind_thread(callers_cores_); }

void Team::run(void (*call)(void*, int), void* context) const { threads_->run(call, context); }

}  // namespace halocline
