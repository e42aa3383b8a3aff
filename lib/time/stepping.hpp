// Stepping: time that goes on in steps of one size, and hits times of output exactly.
//
// A family gives a TimeStepper, which holds the state; Stepping holds the time. It asks for as many steps at once as
// the caller allows, and makes one shorter step where a time to stop at lies between two steps, or where the state does
// not allow a full one; steps of full size go on from there. The same stops give the same steps on every rank, also
// after a restart.
//
// Times that are only looked at change no step: between two steps the state there is that of a shorter step from the
// first of them, as accurate as any step, which is taken back before the next one.
//
// Steps may also be chosen by the errors that the state estimates, see StepControl: then they differ in size, and a
// step that is not good enough is made again, shorter.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>

#include "lib/base/error.hpp"
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
  /// Whether advance() may make fewer steps than it is asked for.
  virtual bool may_refuse() const { return true; }
  /// The next step, made alone by advance(), may be taken back; undo() does so, or is told that it was not `made`. All
  /// steps to come have the bits that they have without it. `judged`: whether it is refused for its error.
  virtual void mark(bool /*judged*/) {}
  virtual void undo(bool /*made*/) {}
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
  /// Of the state, which may be one that is only shown.
  double time() const { return shown_.value_or(time_); }
  Index steps() const { return steps_; }  // since t = 0, shorter ones included
  /// Steps until `stop` is hit or `most` steps are made; how many. At least one where most > 0, but
  /// for a stop that is nearer than a millionth of a step, which counts as hit.
  Index towards(TimeStepper& stepper, double stop, Index most);
  /// The same steps as towards(stepper, end, ...) makes, whatever `at`: until the next one would pass `at`, where the
  /// state is then shown.
  Index observe(TimeStepper& stepper, double at, double end, Index most);
  /// Calls save(), which archives this and the state, with those of the last whole step, then shows again what was
  /// shown: before, also where saving has failed, or when the state was saved that save() has restored.
  template <class Save>
  void with_whole_step(TimeStepper& stepper, const StateArchive& state, const Save& save) {
    const std::optional<double> shown = shown_;
    aside_ = shown.value_or(-1);
    go_back(stepper);
    try {
      save();
    } catch (const Error& error) {  // a defect is not the same on all ranks
      if (shown && !state.restoring() && error.code() != ExitCode::defect) show(stepper, *shown);
      throw;
    }
    if (aside_ >= 0) show(stepper, aside_);
  }
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
  double next_step() const;
  bool holds(double stop, double step);
  Index whole_steps(double at, double end) const;
  bool passes(TimeStepper& stepper, double at, double end);
  void show(TimeStepper& stepper, double at);
  void go_back(TimeStepper& stepper);
  double controlled_step(double stop) const;
  void shorter(TimeStepper& stepper, double stop);
  Index controlled(TimeStepper& stepper, double stop, Index most);

  double dt_;
  Clock clock_;  // of the next step
  double time_ = 0;
  Index steps_ = 0;
  mutable std::set<Index> counted_;  // what was asked for
  std::optional<double> shown_;      // time that is shown in place of time_
  bool shows_step_ = false;          // which a step that does not count has led to
  double aside_ = -1;                // shown_ while a whole step is saved
  std::optional<StepControl> control_;
  double end_ = std::numeric_limits<double>::infinity();
  std::optional<double> held_;
  double passed_from_ = -1, passed_to_ = 0;  // a step that passes() has made, and taken back
};

}  // namespace halocline
