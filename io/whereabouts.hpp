// Where and when, for records of runs.
#pragma once

#include <string>

namespace halocline {

// The name of this machine.
std::string host_name();
// The time now, "2026-01-31T12:00:00Z".
std::string utc_now();

}  // namespace halocline
