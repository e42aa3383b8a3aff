#include "mpi/team.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <system_error>
#include <thread>

#include "gpu/devices.hpp"
#include "gpu/doors/peers.hpp"
#include "lib/base/error.hpp"
#include "mpi/binding.hpp"
#include "mpi/doors.hpp"
#include "mpi/signal.hpp"

namespace halocline {

struct Team::Threads {
  // One thread per set of cores. `looking`: for how long a thread looks for work, and the caller for its end, before it
  // sleeps.
  Threads(const std::vector<std::vector<int>>& cores, std::chrono::nanoseconds looking)
      : looking(looking), errors(cores.size()) {
    threads.reserve(cores.size());
    try {
      for (std::size_t part = 0; part < cores.size(); ++part) {
        threads.emplace_back([this, part, own = cores[part]] {
          bind_thread(own);
          serve(static_cast<int>(part));
        });
      }
    } catch (const std::system_error& error) {
      end();
      throw MachineError("no thread for each of " + std::to_string(cores.size()) + " parts: " + error.what());
    } catch (...) {
      end();
      throw;
    }
  }
  ~Threads() { end(); }

  void end() {
    call = nullptr;
    round.set(round.now() + 1);
    for (std::thread& thread : threads) thread.join();
  }

  // Life of one thread: does its part of every round. No round begins before all threads have ended the last one.
  void serve(int part) {
    for (std::uint32_t seen = 0;;) {
      round.wait(looking, [&](std::uint32_t now) { return now != seen; });
      seen = round.now();
      if (call == nullptr) return;
      try {
        call(context, part);
      } catch (...) {
        errors[part] = std::current_exception();
        failed = true;
      }
      busy.count_down();
    }
  }

  void run(void (*new_call)(void*, int), void* new_context) {
    call = new_call;
    context = new_context;
    busy.set(static_cast<std::uint32_t>(threads.size()));
    round.set(round.now() + 1);
    busy.wait(looking, [](std::uint32_t now) { return now == 0; });
    if (failed) rethrow();
  }

  void rethrow() {
    failed = false;
    std::exception_ptr first;
    for (std::exception_ptr& error : errors) {
      if (error && !first) first = error;
      error = nullptr;
    }
    std::rethrow_exception(first);
  }

  const std::chrono::nanoseconds looking;
  Signal round, busy;
  void (*call)(void*, int) = nullptr;  // null: no more work
  void* context = nullptr;
  std::atomic<bool> failed{false};
  std::vector<std::exception_ptr> errors;  // of this round
  std::vector<std::thread> threads;
};

namespace {

std::vector<std::vector<int>> cores_of(const std::vector<ExecutorPtr>& executors) {
  std::vector<CoreWish> wishes;
  for (const ExecutorPtr& executor : executors)
    wishes.push_back({executor->threads(), cores_near(*executor), executor->backend() == Backend::cuda});
  return openmp_is_bound() ? std::vector<std::vector<int>>(executors.size()) : share_cores(usable_cores(), wishes);
}

// Threads that look for work take the time of a core from those that have some, unless one is left for the caller.
std::chrono::nanoseconds time_to_look(const std::vector<ExecutorPtr>& executors) {
  std::size_t threads = 1;
  for (const ExecutorPtr& executor : executors) threads += static_cast<std::size_t>(executor->threads());
  return usable_cores().size() >= threads ? std::chrono::microseconds(50) : std::chrono::microseconds(0);
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
    open_peers(executors_);
    threads_ = std::make_unique<Threads>(cores, time_to_look(executors_));
  } else if (executors_[0]->backend() == Backend::cuda) {
    std::vector<int> before = usable_cores();
    if (bind_thread(cores[0])) callers_cores_ = std::move(before);
  }
}

Team::~Team() { bind_thread(callers_cores_); }

const Doors& Team::doors(const Communicator& comm) const {
  if (!doors_) doors_ = std::make_unique<Doors>(comm, executors_, first_part_);
  return *doors_;
}

void Team::run(void (*call)(void*, int), void* context) const { threads_->run(call, context); }

}  // namespace halocline
