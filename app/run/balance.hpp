// Shares of the work by what the devices can do, for runs on unlike devices (`run.balance: measured`).
#pragma once

#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

struct Balance {
  std::vector<double> weights;     // of all parts, rank by rank; the largest is 1
  std::vector<std::string> lines;  // what was measured, one line per rank; on rank 0, empty elsewhere
};

// Measures how fast every device copies, all at the same time, for about `seconds`. Every rank has as many parts.
// Collective.
Balance measure_balance(const Communicator& comm, const Team& team, double seconds = 0.05);

// A number per part of this rank to the numbers of all parts, rank by rank. Every rank has as many parts. Collective.
std::vector<double> of_all_parts(const Communicator& comm, const std::vector<double>& own);

// Weights from rates, in hundredths of the largest and at least one, so that they seldom change between runs.
std::vector<double> weights_of_rates(const std::vector<double>& rates);

}  // namespace halocline
