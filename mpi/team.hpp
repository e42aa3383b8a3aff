// Team: the devices of one rank. Each part of the rank is driven by one persistent thread (the calling thread itself
// when there is a single part), which keeps its own OpenMP team, so nested teams are never rebuilt. Driving threads are
// bound near their devices, see mpi/binding.hpp.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "lib/base/executor.hpp"
#include "lib/base/timers.hpp"
#include "mpi/transfer.hpp"

namespace halocline {

class Communicator;
class Doors;

class Team {
 public:
  // `executors`: one per part of this rank, in order. `first_part`: global number of the first. `total_parts`: of all
  // ranks. `transfer`: of values between ranks; with `ipc` those parts that cannot send messages. `profiled`: where
  // scope() counts; outlives the team.
  Team(std::vector<ExecutorPtr> executors, int first_part, int total_parts, Transfer transfer = Transfer::automatic,
       Timers* profiled = nullptr);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int parts() const { return static_cast<int>(executors_.size()); }  // of this rank
  int first_part() const { return first_part_; }
  int total_parts() const { return total_parts_; }
  Transfer transfer() const { return transfer_; }
  void set_transfer(Transfer transfer) { transfer_ = transfer; }  // before anything is exchanged
  // Of all ranks' devices; opened by the first call, which is collective.
  const Doors& doors(const Communicator& comm) const;
  const ExecutorPtr& executor(int part) const { return executors_[part]; }  // part counts within the rank

  // A scope for the profile, as of Timers; measures nothing in a run without one. Main thread only, outside each().
  [[nodiscard]] Timers::Scope scope(const char* name) const {
    return profiled_ != nullptr ? profiled_->scope(name, true) : Timers::Scope();
  }

  // Calls work(part) for every part of this rank, at the same time, and returns when all have returned.
  // Rethrows the error of the lowest part that failed. Work must not call MPI.
  template <class F>
  void each(F&& work) const {
    if (parts() == 1) {
      work(0);
    } else {
      // A plain function and a pointer instead of std::function: no allocation per call.
      run([](void* context, int part) { (*static_cast<std::remove_reference_t<F>*>(context))(part); },
          const_cast<void*>(static_cast<const void*>(&work)));
    }
  }

 private:
  void run(void (*call)(void*, int), void* context) const;
  struct Threads;
  std::vector<ExecutorPtr> executors_;
  int first_part_, total_parts_;
  Transfer transfer_;
  Timers* profiled_;
  std::vector<int> callers_cores_;  // of the calling thread, where this Team has bound it
  std::unique_ptr<Threads> threads_;
  mutable std::unique_ptr<Doors> doors_;
};

}  // namespace halocline
