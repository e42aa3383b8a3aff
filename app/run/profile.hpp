// The profile of a run: what executors and timers have counted, collected over parts and ranks, and as text.
#pragma once

#include <string>

#include "io/output/profile_report.hpp"
#include "lib/base/timers.hpp"
#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

// Of a run of `seconds` whose executors were made to be profiled. Waits for the devices, then measures how fast they
// copy, all at once. Collective; complete on rank 0.
ProfileReport collect_profile(const Communicator& comm, const Team& team, const Timers& timers, double seconds);

// The most expensive kernels and scopes, for the terminal.
std::string profile_table(const ProfileReport& profile);

}  // namespace halocline
