// KernelSeconds: how long the kernels of history and sweeps ran, by the profile of the devices; what the published
// tables of psi_caputo.table are compared with. Findings of runs with a profile only.
#pragma once

#include <optional>

#include "lib/problems/problem.hpp"

namespace halocline::fractional {

class KernelSeconds {
 public:
  /// `steps` of the run in blocks of `block`. `context` outlives this.
  KernelSeconds(const Context& context, Index steps, Index block);

  /// The last level, at or before `to`, at which a slice of steps from `level` on may end.
  Index slice_end(Index level, Index to) const;
  /// After a slice that ended at `level`, all devices being idle. Collective.
  void note(Index level);

  /// history_seconds, sweeps_seconds; history_share, of the time of all kernels; history_seconds_per_step, in the last
  /// steps. Collective.
  void publish(Findings& findings) const;

 private:
  struct Sums {
    double history = 0, sweeps = 0, all = 0;  // the largest of all parts
  };
  Sums sums() const;

  const Context* context_;
  bool profiled_;
  Index watched_, watch_from_;            // last steps, and the level before them
  std::optional<double> history_before_;  // them
};

}  // namespace halocline::fractional
