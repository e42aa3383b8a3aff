#include "lib/time/stepping.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {

namespace {

constexpr double hit = 1e-6;  // of a step: times nearer than this are the same

}  // namespace

Index Stepping::observe(TimeStepper& stepper, double at, double end, Index most) {
  go_back(stepper);
  if (at + hit * clock_.dt >= end) return towards(stepper, end, most);
  const bool held = held_.has_value();
  Index done = 0;
  while (done < most && held_.has_value() == held) {
    if (at - time_ < hit * clock_.dt) {
      show(stepper, at);
      break;
    }
    if (holds(end, next_step())) break;
    if (const Index whole = whole_steps(at, end); whole > 0) {
      done += towards(stepper, end, std::min(whole, most - done));
    } else if (passes(stepper, at, end)) {
      show(stepper, at);
      return done + 1;
    } else {
      ++done;
    }
    if (!counted_.empty()) return done;
  }
  // The last step may have led to `at` but for rounding: the time shown there must not hang on `most`.
  if (!shown_ && at - time_ < hit * clock_.dt) show(stepper, at);
  return done;
}

// The steps that come next and do not pass `at`, as far as they are planned; of those that errors choose one at most.
Index Stepping::whole_steps(double at, double end) const {
  if (!control_) return static_cast<Index>(std::floor((at - time_) / clock_.dt + hit));
  const double dt = controlled_step(end);
  return time_ + dt <= at + hit * dt ? 1 : 0;
}

// Whether the next step, planned to pass `at`, does so; it is made where it does not. As a step may be refused only
// making it tells. It is then taken back, and made anew later, with the same bits.
bool Stepping::passes(TimeStepper& stepper, double at, double end) {
  if (!control_ && !stepper.may_refuse()) return true;
  if (passed_from_ == time_ && at + hit * clock_.dt < passed_to_) return true;
  const Clock clock = clock_;
  const double time = time_;
  const Index steps = steps_;
  const std::optional<StepControl> control = control_;
  stepper.mark(true);
  towards(stepper, end, 1);
  if (time_ <= at + hit * clock_.dt) return false;
  passed_to_ = time_;
  clock_ = clock, time_ = time, steps_ = steps, control_ = control;
  passed_from_ = time_;
  stepper.undo(true);
  return true;
}

// A step to `at`, shorter than one that is not refused, whose error counts. Where even so none can be made (formulas
// with poles), the state before it.
void Stepping::show(TimeStepper& stepper, double at) {
  shown_ = at;
  if (at - time_ < hit * clock_.dt) return;
  stepper.mark(false);
  shows_step_ = stepper.advance({time_, at - time_, 0}, 1) == 1;
  if (!shows_step_) stepper.undo(false);
}

void Stepping::go_back(TimeStepper& stepper) {
  if (shows_step_) stepper.undo(true);
  shows_step_ = false;
  shown_.reset();
}

Index Stepping::towards(TimeStepper& stepper, double stop, Index most) {
  go_back(stepper);
  if (control_) return controlled(stepper, stop, most);
  Index done = 0;
  while (time_ < stop && done < most) {
    if (stop - time_ < hit * clock_.dt) {  // rounding of another stop
      time_ = stop;
      break;
    }
    if (holds(stop, next_step())) break;
    const auto whole = static_cast<Index>(std::floor((stop - time_) / clock_.dt + hit));
    const Index full = ends_here(stop) ? static_cast<Index>(std::ceil((stop - time_) / clock_.dt - hit)) - 1 : whole;
    const Index now = std::min(full, most - done), made = now > 0 ? stepper.advance(clock_, now) : 0;
    clock_.step += made;
    steps_ += made;
    done += made;
    if (made > 0) time_ = clock_.at(0);
    if (now == 0 || made < now) {
      shorter(stepper, stop);
      ++done;
      if (!counted_.empty()) break;
    } else if (made == whole && std::abs(stop - time_) < hit * clock_.dt) {
      time_ = stop;
    }
  }
  return done;
}

// Whether towards() is to return before this time, the end.
bool Stepping::ends_here(double stop) const { return !held_ && end_ - stop < hit * dt_; }

// What the last step to an end may be as long as.
double Stepping::next_step() const { return control_ ? 2 * control_->next() : clock_.dt; }

// Whether to return before the last step, of about `step`, to the end.
bool Stepping::holds(double stop, double step) {
  if (!ends_here(stop) || stop - time_ > step * (1 + hit)) return false;
  held_ = time_;
  return true;
}

// One step to `stop`, to hit that time exactly, or as far as the state allows.
void Stepping::shorter(TimeStepper& stepper, double stop) {
  double dt = std::min(stop - time_, dt_);
  while (stepper.advance({time_, dt, 0}, 1) == 0) dt = std::min(dt, share_of_allowed * stepper.allowed());
  time_ = dt == stop - time_ ? stop : time_ + dt;
  clock_ = {time_, dt_, 0};
  ++steps_;
}

// Before a stop two equal steps rather than one of full size and a tiny one.
double Stepping::controlled_step(double stop) const {
  const double left = stop - time_, wanted = control_->next();
  return wanted * (1 + hit) >= left ? left : std::min(wanted, 0.5 * left);
}

Index Stepping::controlled(TimeStepper& stepper, double stop, Index most) {
  Index done = 0;
  while (time_ < stop && done < most) {
    if (holds(stop, next_step())) break;
    const double left = stop - time_, dt = controlled_step(stop);
    if (!(time_ + dt > time_)) {
      const std::string trouble = std::isfinite(stepper.error()) ? "" : stepper.trouble();
      throw NumericalError("at t = " + brief_text(time_) + " steps have become too small to count, " + brief_text(dt) +
                           ": " + (trouble.empty() ? "the tolerance cannot be met" : "after any of them " + trouble));
    }
    if (stepper.advance({time_, dt, 0}, 1) == 0) {
      control_->refused(dt, stepper.error(), stepper.allowed());
      continue;
    }
    control_->accepted(dt, stepper.error());
    time_ = dt == left ? stop : time_ + dt;
    clock_ = {time_, control_->next(), 0};
    ++steps_;
    ++done;
    if (!counted_.empty()) break;
  }
  return done;
}

bool Stepping::at_multiple() const {
  return std::any_of(counted_.begin(), counted_.end(), [&](Index every) { return steps_ % every == 0; });
}

double Stepping::next_multiple(Index every) const {
  counted_.insert(every);
  const Index next = (steps_ / every + 1) * every;
  return clock_.at(next - steps_);
}

void Stepping::archive(StateArchive& state) {
  double dt = clock_.dt;
  state.scalar("t", time_);
  state.scalar("t_shown", aside_);
  state.scalar("steps", steps_);
  state.scalar("clock_origin", clock_.origin);
  state.scalar("clock_step", clock_.step);
  state.scalar("clock_dt", dt);
  if (control_) control_->archive(state);
  if (!state.restoring()) return;
  if (control_) {
    clock_.dt = dt;
  } else {
    clock_.dt = dt_;
    if (dt != dt_) clock_ = {time_, dt_, 0};  // another end than in the run that saved
  }
  if (aside_ >= 0) holds(end_, next_step());  // which was asked before anything was shown
}

}  // namespace halocline
