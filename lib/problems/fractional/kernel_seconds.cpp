#include "lib/problems/fractional/kernel_seconds.hpp"

#include <algorithm>
#include <array>

#include "lib/base/profile/kernel_profile.hpp"

namespace halocline::fractional {

namespace {

constexpr Index fewest_watched = 48;  // last steps, so that the clock sees them

}  // namespace

KernelSeconds::KernelSeconds(const Context& context, Index steps, Index block)
    : context_(&context),
      profiled_(context.team.executor(0)->profile() != nullptr),
      watched_(std::min(steps, (fewest_watched + block - 1) / block * block)),  // whole blocks
      watch_from_(steps - watched_) {}

Index KernelSeconds::slice_end(Index level, Index to) const {
  return profiled_ && level < watch_from_ ? std::min(to, watch_from_) : to;
}

void KernelSeconds::note(Index level) {
  if (profiled_ && level == watch_from_) history_before_ = sums().history;
}

KernelSeconds::Sums KernelSeconds::sums() const {
  const Team& team = context_->team;
  Sums most;
  for (int p = 0; p < team.parts(); ++p) {
    Sums part;
    for (const KernelProfile::Entry& entry : team.executor(p)->profile()->entries()) {
      part.all += entry.seconds;
      if (entry.name.starts_with("history")) part.history += entry.seconds;
      if (entry.name.starts_with("sweep")) part.sweeps += entry.seconds;
    }
    if (part.all > most.all) most = part;
  }
  std::array<double, 3> all{most.history, most.sweeps, most.all};
  context_->comm.max(all);
  return {all[0], all[1], all[2]};
}

void KernelSeconds::publish(Findings& findings) const {
  if (!profiled_) return;
  const Sums now = sums();
  findings.add("history_seconds", "s", now.history);
  findings.add("sweeps_seconds", "s", now.sweeps);
  if (now.all > 0) findings.add("history_share", "1", now.history / now.all);
  if (history_before_)
    findings.add("history_seconds_per_step", "s", (now.history - *history_before_) / static_cast<double>(watched_));
}

}  // namespace halocline::fractional
