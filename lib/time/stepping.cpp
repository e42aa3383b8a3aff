#include "lib/time/stepping.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

namespace {

constexpr double hit = 1e-6;  // of a step: times nearer than this are the same

}  // namespace

Index Stepping::towards(TimeStepper& stepper, double stop, Index most) {
  Index done = 0;
  while (time_ < stop && done < most) {
    const auto whole = static_cast<Index>(std::floor((stop - time_) / clock_.dt + hit));
    if (whole == 0) {  // a shorter one to hit the time exactly
      stepper.advance({time_, stop - time_, 0}, 1);
      clock_ = {stop, dt_, 0};
      time_ = stop;
      ++steps_;
      return done + 1;
    }
    const Index now = std::min(whole, most - done);
    stepper.advance(clock_, now);
    clock_.step += now;
    steps_ += now;
    done += now;
    time_ = clock_.at(0);
    if (now == whole && std::abs(stop - time_) < hit * clock_.dt) time_ = stop;
  }
  return done;
}

double Stepping::next_multiple(Index every) const {
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
  if (!state.restoring()) return;
  clock_.dt = dt_;
  if (dt != dt_) clock_ = {time_, dt_, 0};  // another end than in the run that saved
}

}  // namespace halocline
