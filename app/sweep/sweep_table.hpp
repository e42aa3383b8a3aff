// What the cases of a sweep gave, as text, as sweep.csv and as sweep.h5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/sweep/cases.hpp"
#include "io/output/report.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// A report per case; none of those that have not run.
using SweepReports = std::vector<std::optional<Report>>;

// "finished", "failed", "out of limits", "stopped" or, without a report, "waiting".
const char* state_of(const std::optional<Report>& report);
// For people: swept values, states, times and the findings that all cases have, as far as a line reaches.
std::string sweep_table(const SweepCases& cases, const SweepReports& reports);
// All of it, with empty cells where there is no number.
std::string sweep_csv(const SweepCases& cases, const SweepReports& reports);
// As tables of ensembles are: /sweep/NAME with attributes `key`, `spacing` and, where values are words, `words`;
// /result/FINDING with NaN where a case has none, /cost/seconds, /cost/seconds_of_solve, /cost/unknowns,
// /columns/case and /status, the exit code, -1 of a case that has not come to an end. An attribute `order` of /sweep
// names the keys as they were given. `alone`: of this rank only. MachineError when it cannot be written.
void write_sweep(const Communicator& alone, const std::string& path, const std::string& deck, const SweepCases& cases,
                 const SweepReports& reports);

}  // namespace halocline
