// What every simulated rank did: how often, how many messages and bytes, how much simulated time. SimGrid runs all
// ranks in one process and one of them at a time, so that this is a table per rank without locks.
#pragma once

#include <map>
#include <string>

namespace scale {

struct Count {
  double calls = 0, messages = 0, bytes = 0, seconds = 0;
};

using Counts = std::map<std::string, Count>;

// A part of the run: set-up, solve and so on.
struct Phase {
  double seconds = 0;
  Counts calls;    // of MPI
  Counts kernels;  // by the names of their labels
};

class Ledger {
 public:
  // Simulated seconds at which the rank's device has done what is queued, and what is to be sent of it.
  double device_free = 0, packed = 0;

  // What follows belongs to this phase.
  void enter(const std::string& phase);
  Phase& now_in() { return *current_; }
  // Ends the phase under way.
  const std::map<std::string, Phase>& phases();

 private:
  std::map<std::string, Phase> phases_;
  Phase* current_ = &phases_["start"];
  double since_ = 0;
};

// Of the rank that asks.
Ledger& ledger();

// Simulated seconds since the start; of any thread.
double now();

}  // namespace scale
