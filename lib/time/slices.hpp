// Slices of work: how much is done at once, so that progress, signals and limits act about every 0.2 s.
#pragma once

#include <chrono>
#include <utility>

#include "lib/base/types.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

constexpr double slice_seconds = 0.2;

/// Steps that fit a slice, from the time that the last ones took.
class SliceSize {
 public:
  /// The first slice has `first` steps. Later ones have at least `least`, and grow by a factor of `growth` at most,
  /// since the first steps may say little about those to come.
  explicit SliceSize(Index first = 1, Index least = 1, double growth = 4)
      : steps_(first), least_(least), growth_(growth) {}

  Index steps() const { return steps_; }
  /// `done` > 0 steps took `seconds`; a slice shall take `wanted`.
  void note(Index done, double seconds, double wanted = slice_seconds);

 private:
  Index steps_, least_;
  double growth_;
};

/// The slices of a run, of the same size on every rank: all follow the slowest one.
class Slices {
 public:
  /// Of whole groups of `group` steps.
  explicit Slices(const Communicator& comm, Index group = 1) : comm_(comm), group_(group), size_(group) {}

  Index steps() const;  // of the next slice
  /// One slice: work() makes steps, at most steps() of them, waits for them, and returns how many. Collective.
  template <class Work>
  Index run(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    const Index done = std::forward<Work>(work)();
    note(done, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return done;
  }

  // Of all slices so far.
  Index done() const { return done_; }
  double seconds() const { return seconds_; }

 private:
  void note(Index done, double seconds);

  const Communicator& comm_;
  Index group_;
  SliceSize size_;
  Index done_ = 0;
  double seconds_ = 0;
};

}  // namespace halocline
