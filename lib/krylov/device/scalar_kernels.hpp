// What methods have in common whose scalars stay on the device: when an iteration is the last one that the device makes
// by itself, and the notes by which the host follows.
#pragma once

#include <cstdint>

#include "lib/base/atomics.hpp"

namespace halocline::krylov_kernels {

HALOCLINE_HD inline bool finite(double value) { return value - value == 0; }
HALOCLINE_HD inline bool usable(double factor) { return finite(factor) && factor != 0; }

// As KrylovIteration::record().
struct Limits {
  double measure = 0, tolerance = 0, absolute_tolerance = 0;
  double largest = -1;    // relative residual, beyond which a solve has diverged; negative: none
  double least_norm = 0;  // below, squares are out of range

  HALOCLINE_HD bool end(double residual_norm) const {
    if (!(residual_norm >= least_norm) || !finite(residual_norm)) return true;
    const double relative = measure > 0 ? residual_norm / measure : residual_norm;
    const bool small = measure > 0 && relative * measure <= absolute_tolerance;
    return relative <= tolerance || small || (largest >= 0 && relative > largest);
  }
  // Whether a relative residual is near those of a solution, within a factor of two.
  HALOCLINE_HD bool nearly_met(double relative) const {
    return 0.5 * relative <= tolerance || (measure > 0 && 0.5 * relative * measure <= absolute_tolerance);
  }
};

// What every method's scalars on the device begin with.
struct Progress {
  Limits limits;
  Index stopped = 0;        // bodies leave all vectors alone until the host has been there
  std::uint64_t count = 0;  // iterations launched that have ended, stopped ones too
};

// What an iteration tells: its sums, from which all of its scalars follow. One that began stopped has none.
template <class Sums>
struct Note {
  Sums sums;
  Index stopped = 0;
};

constexpr int notes_kept = 8;

// In pinned memory of the host.
template <class Sums>
struct Notes {
  std::uint64_t count = 0;  // so many iterations have left their note
  Note<Sums> ring[notes_kept];

  // The end of an iteration, with its sums and whether the device goes on, both of no meaning where it had stopped.
  HALOCLINE_HD void leave(Progress& progress, const Sums& sums, bool goes_on) {
    Note<Sums>& note = ring[progress.count % notes_kept];
    if (progress.stopped == 0) {
      note.sums = sums;
      progress.stopped = goes_on ? 0 : 1;
    }
    note.stopped = progress.stopped;
    set_flag(&count, ++progress.count);
  }
};

}  // namespace halocline::krylov_kernels
