// Summary: what a run did, collected over ranks for report.json and printed as a short table.
#pragma once

#include <string>

#include "app/run/driver.hpp"
#include "app/run/launcher.hpp"
#include "io/output/report.hpp"

namespace halocline {

// Version, compiler, build type.
std::vector<std::pair<std::string, std::string>> build_facts();

// The report before the run: provenance and devices. Collective; complete on rank 0.
Report begin_report(const Context& context, const LoadedDeck& deck);
// Adds what the run did and decides its exit code. Collective; complete on rank 0.
void complete_report(const Context& context, const RunResult& result, const Traffic& sent, Report& report);

// Exit code of a run: 3 without convergence, 1 when a finding is out of its limits, 0 otherwise (also when stopped).
ExitCode exit_code_of(const RunResult& result);

// The table for the end of a run, with where the files are and how to open them.
std::string result_table(const Report& report, const std::string& directory);
// "1 rank", "2 ranks".
std::string count_text(std::size_t count, const char* word);
// What `check` prints of a deck without faults.
std::string plan_table(const LoadedDeck& deck, int ranks);

// "12.3 MB"; decimal units.
std::string bytes_text(double bytes);
// Six significant digits, or fewer.
std::string value_text(double value);
// "<= 1e-06", "in [1, 2]"; of a finding that is checked.
std::string limits_text(const Finding& finding);

}  // namespace halocline
