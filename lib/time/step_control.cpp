#include "lib/time/step_control.hpp"

#include <algorithm>
#include <cmath>

#include "lib/time/stepping.hpp"

namespace halocline {

namespace {

constexpr double safety = 0.8, most_growth = 10, least_share = 0.1;
constexpr double least_error = 1e-12;  // of the tolerance; smaller ones are not remembered as such
constexpr double full = 0.999;         // of next(): shorter steps hit a time of output

}  // namespace

void StepControl::accepted(double dt, double error) {
  const double now = std::cbrt(std::max(error, least_error));
  double factor = safety / now;
  const bool whole = dt >= full * next_;
  if (whole && last_ > 0) factor *= std::cbrt(last_error_) / now * dt / last_;
  factor = std::clamp(factor, least_share, after_refusal_ ? 1.0 : most_growth);
  next_ = whole ? factor * dt : std::max(next_, factor * dt);
  after_refusal_ = false;
  if (!whole) return;
  last_ = dt;
  last_error_ = std::max(error, least_error);
}

void StepControl::refused(double dt, double error, double allowed) {
  if (error <= 1) {
    next_ = std::min(next_, share_of_allowed * allowed);
    return;
  }
  // NaN takes the least share.
  const double factor = safety / std::cbrt(error);
  next_ = dt * (factor > least_share ? factor : least_share);
  after_refusal_ = true;
}

void StepControl::archive(StateArchive& state) {
  Index after = after_refusal_ ? 1 : 0;
  state.scalar("next_step", next_);
  state.scalar("last_step", last_);
  state.scalar("last_error", last_error_);
  state.scalar("after_refusal", after);
  after_refusal_ = after != 0;
}

}  // namespace halocline
