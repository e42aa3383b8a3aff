// DeviceIterations: iterations as launches of one device, which computes their scalars; the host launches some ahead of
// what it knows and follows by their notes. After an iteration that the host has to look at, those under way change
// nothing.
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "gpu/cuda_executor.hpp"
#include "lib/base/array.hpp"
#include "lib/base/graph/launch_graph.hpp"
#include "lib/krylov/device/scalar_kernels.hpp"
#include "lib/krylov/krylov.hpp"

namespace halocline {

// State: a Progress and the scalars of a method. Sums: those of its notes.
template <class State, class Sums>
class DeviceIterations {
 public:
  using Notes = krylov_kernels::Notes<Sums>;
  static constexpr int at_once = 4;      // iterations of one launch
  static constexpr int long_solve = 16;  // iterations from which on these pay

  // `name`: of an iteration's launches as a whole.
  DeviceIterations(ExecutorPtr executor, const char* name)
      : executor_(std::move(executor)),
        state_(executor_, {1}),
        notes_(new (executor_->allocate_pinned(sizeof(Notes))) Notes{}),
        one_(name),
        several_(name) {}
  ~DeviceIterations() {
    one_.reset();
    several_.reset();
    executor_->deallocate_pinned(notes_, sizeof(Notes));  // waits for what writes there
  }
  DeviceIterations(const DeviceIterations&) = delete;
  DeviceIterations& operator=(const DeviceIterations&) = delete;

  // Whether a solve can be carried out here.
  template <class T>
  static bool possible(Scalars scalars, const Team& team, const Operator<T>& A, const Operator<T>* M) {
    const bool host = team.executor(0)->backend() == Backend::omp;  // nothing to be gained
    const bool wanted = scalars == Scalars::on_device || (scalars == Scalars::automatic && !host);
    return wanted && M == nullptr && team.total_parts() == 1 && A.only_launches();
  }

  // Launches are others from here on, and scalars are to be put.
  void forget() {
    one_.reset();
    several_.reset();
    has_scalars_ = false;
    begun_ = launched_;
  }
  void forget_scalars() { has_scalars_ = false; }

  // At most `most` iterations, with up to `ahead` under way; returns their number. scalars() gives the State to go on
  // from, where the device has none, launches(state, notes) makes an iteration, take(sums) tells the host of one and
  // says whether the solve goes on.
  template <class ScalarsOf, class Launches, class Take>
  int follow(int most, int ahead, const ScalarsOf& scalars, const Launches& launches, const Take& take) {
    require(ahead + at_once <= krylov_kernels::notes_kept, "DeviceIterations: more iterations than notes");
    if (executor_->profile() != nullptr) ahead = 1;  // kernels are counted: none in vain
    if (!has_scalars_) put(scalars());
    for (int launched = 0, done = 0; done < most;) {
      while (launched < most && launched - done < ahead) launched += launch(most - launched, ahead, launches);
      wait_for_flag(*executor_, &notes_->count, read_ + 1);
      const krylov_kernels::Note<Sums> note = notes_->ring[read_++ % krylov_kernels::notes_kept];
      ++done;
      const bool goes_on = take(note.sums);
      has_scalars_ = goes_on && note.stopped == 0;
      if (has_scalars_) continue;
      read_ = launched_;
      return done;
    }
    return most;
  }

 private:
  // Launches as many iterations at once as it returns. A launch takes time, so in a long solve it holds several.
  template <class Launches>
  int launch(int most, int ahead, const Launches& launches) {
    const bool together = ahead > 1 && most >= at_once && launched_ - begun_ >= long_solve;
    const int count = together ? at_once : 1;
    (together ? several_ : one_).run(*executor_, [&] {
      for (int n = 0; n < count; ++n) launches(state_.view().data, notes_);
    });
    launched_ += static_cast<std::uint64_t>(count);
    return count;
  }

  // Waits for all iterations under way.
  void put(State state) {
    state.progress.count = launched_;
    executor_->copy_in(state_.view().data, &state, sizeof state);
    has_scalars_ = true;
  }

  ExecutorPtr executor_;
  Array<State, 1> state_;
  Notes* notes_;
  LaunchGraph one_, several_;
  bool has_scalars_ = false;  // the device, those of the host
  std::uint64_t launched_ = 0, read_ = 0, begun_ = 0;
};

}  // namespace halocline
