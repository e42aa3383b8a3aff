#include "lib/time/stepping.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {

namespace {

constexpr double hit = 1e-6;  // of a step: times nearer than this are the same

}  // namespace

Index Stepping::towards(TimeStepper& stepper, double stop, Index most) {
  if (control_) return controlled(stepper, stop, most);
  Index done = 0;
  while (time_ < stop && done < most) {
    if (stop - time_ < hit * clock_.dt) {  // rounding of another stop
      time_ = stop;
      break;
    }
    if (holds(stop, clock_.dt)) break;
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
Index Stepping::controlled(TimeStepper& stepper, double stop, Index most) {
  Index done = 0;
  while (time_ < stop && done < most) {
    const double left = stop - time_, wanted = control_->next();
    if (holds(stop, 2 * wanted)) break;
    const double dt = wanted * (1 + hit) >= left ? left : std::min(wanted, 0.5 * left);
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
  state.scalar("steps", steps_);
  state.scalar("clock_origin", clock_.origin);
  state.scalar("clock_step", clock_.step);
  state.scalar("clock_dt", dt);
  if (control_ && state.restoring()) clock_.dt = dt;
  if (control_) return control_->archive(state);
  if (!state.restoring()) return;
  clock_.dt = dt_;
  if (dt != dt_) clock_ = {time_, dt_, 0};  // another end than in the run that saved
}

}  // namespace halocline
