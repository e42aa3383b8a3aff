// What `check --devices` says of a run on other machines than this one.
#pragma once

#include <string>

#include "app/forecast/forecast.hpp"
#include "app/run/launcher.hpp"

namespace halocline {

// Rows for the table of `check`.
std::string forecast_table(const LoadedDeck& deck, const DeviceChoice& device);

// Parts that a problem can use: for what has too many of them.
struct UsableParts {
  int largest = 0;    // ranks; 0: not known
  int best = 0;       // of these: with the shortest forecast; 0: not known
  bool gaps = false;  // not every smaller number can be used, and larger ones may be
};
UsableParts usable_parts(const LoadedDeck& deck, int too_many, const DeviceChoice& device);

// For `check`: a fault where the plan has found one that a single rank would not have, or where ranks that were asked
// for would have no work, with the numbers of ranks that the problem can use. `failed`: the plan has faults; `device`:
// on rank 0. Collective.
void refuse_idle_parts(const Communicator& comm, const LoadedDeck& deck, bool failed, bool asked,
                       const DeviceChoice& device, Faults& faults);

}  // namespace halocline
