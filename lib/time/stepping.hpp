// Stepping: time that goes on in steps of one size, and hits times of output exactly.
//
// A family gives a TimeStepper, which holds the state; Stepping holds the time. It asks for as many steps at once as
// the caller allows, and makes one shorter step where a time to stop at lies between two steps, or where the state does
// not allow a full one; steps of full size go on from there. The same stops give the same steps on every rank, also
// after a restart.
//
// Steps may also be chosen by the errors that the state estimates, see StepControl: then they differ in size, and a
// step that is not good enough is made again, shorter.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>

#include "lib/base/publish.hpp"
#include "lib/time/clock.hpp"
#include "lib/time/step_control.hpp"

namespace halocline {

/// A state that is advanced step by step.
class TimeStepper {
 public:
  virtual ~TimeStepper() = default;
  /// `steps` steps of clock.dt, the first being clock.step; or fewer, where the state does not allow the next one. How
  /// many were made. Collective; returns when the work is queued.
  virtual Index advance(const Clock& clock, Index steps) = 0;
  /// The largest step that the state allows, where advance() has made fewer than it was asked for.
  virtual double allowed() const { return std::numeric_limits<double>::infinity(); }
  /// The estimated error of the last step that advance() has computed, over what is tolerated: above 1, or no number,
  /// where it has not made the step for that reason.
  virtual double error() const { return 0; }
  /// What makes that error infinite, for a message: "c is not finite".
  virtual std::string trouble() const { return {}; }
  /// Steps are grouped by this number at best: a slice of work should hold a multiple of it.
  virtual Index group() const = 0;
  /// For all queued work of this rank.
  virtual void wait() const = 0;
};

/// The share of the largest allowed step that a shortened one takes: what limits it may grow meanwhile.
constexpr double share_of_allowed = 0.9;

class Stepping {
 public:
  /// From t = 0 in steps of dt > 0; `controlled`: dt is the first, and errors tell the others.
  explicit Stepping(double dt, bool controlled = false) : dt_(dt), clock_{0, dt, 0} {
    if (controlled) control_.emplace(dt);
  }

  /// towards() returns once before the last step to this time, where nothing has been done yet that this end alone asks
  /// for: the state is one that a run with a later end has too.
  void hold_before(double end) { end_ = end; }
  /// Whether it has, and the next step is that one.
  bool held() const { return held_ == time_; }
  double time() const { return time_; }
  Index steps() const { return steps_; }  // since t = 0, shorter ones included
  /// Steps until `stop` is hit or `most` steps are made; how many. At least one where most > 0, but
  /// for a stop that is nearer than a millionth of a step, which counts as hit.
  Index towards(TimeStepper& stepper, double stop, Index most);
  /// The time at which the number of steps will next be a multiple of `every` > 0, if all are made as they are planned
  /// now. Once this was asked towards() returns after every step that changes that, so that the answers, and the steps
  /// that stop at them, do not depend on how many steps a caller allows.
  double next_multiple(Index every) const;
  /// Whether the number of steps is a multiple of one that was asked for.
  bool at_multiple() const;
  /// A restart with another dt goes on from the time that was saved.
  void archive(StateArchive& state);

 private:
  bool ends_here(double stop) const;
  bool holds(double stop, double step);
  void shorter(TimeStepper& stepper, double stop);
  Index controlled(TimeStepper& stepper, double stop, Index most);

  double dt_;
  Clock clock_;  // of the next step
  double time_ = 0;
  Index steps_ = 0;
  mutable std::set<Index> counted_;  // what was asked for
  std::optional<StepControl> control_;
  double end_ = std::numeric_limits<double>::infinity();
  std::optional<double> held_;
};

}  // namespace halocline
