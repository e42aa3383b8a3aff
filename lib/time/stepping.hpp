// Stepping: time that goes on in steps of one size, and hits times of output exactly.
//
// A family gives a TimeStepper, which holds the state; Stepping holds the time. It asks for as many steps at once as
// the caller allows, and makes one shorter step where a time to stop at lies between two steps; steps of full size go
// on from there. The same stops give the same steps on every rank, also after a restart.
#pragma once

#include "lib/base/publish.hpp"
#include "lib/time/clock.hpp"

namespace halocline {

/// A state that is advanced step by step.
class TimeStepper {
 public:
  virtual ~TimeStepper() = default;
  /// `steps` steps of clock.dt, the first being clock.step. Collective; returns when the work is queued.
  virtual void advance(const Clock& clock, Index steps) = 0;
  /// Steps are grouped by this number at best: a slice of work should hold a multiple of it.
  virtual Index group() const = 0;
  /// For all queued work of this rank.
  virtual void wait() const = 0;
};

class Stepping {
 public:
  /// From t = 0 in steps of dt > 0.
  explicit Stepping(double dt) : dt_(dt), clock_{0, dt, 0} {}

  double time() const { return time_; }
  Index steps() const { return steps_; }  // since t = 0, shorter ones included
  /// Steps until `stop` is hit or `most` steps are made; how many. At least one where stop > time() and most > 0.
  Index towards(TimeStepper& stepper, double stop, Index most);
  /// The time at which the number of steps will next be a multiple of `every` > 0.
  double next_multiple(Index every) const;
  /// A restart with another dt goes on from the time that was saved.
  void archive(StateArchive& state);

 private:
  double dt_;
  Clock clock_;  // of the next step
  double time_ = 0;
  Index steps_ = 0;
};

}  // namespace halocline
