// Report: what a run did, as report.json, for scripts and for whoever finds the files later.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/output/profile_report.hpp"
#include "lib/base/publish.hpp"
#include "lib/base/traffic.hpp"
#include "lib/base/types.hpp"

namespace halocline {

struct Report {
  struct Timer {
    std::string path;  // "solve/iterate"
    Index calls = 0;
    double min = 0, mean = 0, max = 0;  // s, over ranks
    // The same without what a rank has waited for others, and the rank of the largest; of runs on several ranks.
    double own_mean = 0, own_max = 0;
    int own_most = 0;
  };
  // A rank that the others have waited for.
  struct SlowRank {
    int rank = 0;
    std::string host, path;  // of the phase
    double times = 1;        // as long as the mean of the others
  };

  std::vector<std::pair<std::string, std::string>> provenance;  // version, compiler, host, deck, ...
  int ranks = 1, parts = 1;
  std::vector<std::string> devices;  // one text per rank
  Index unknowns = 0;
  std::string size;                                   // the same in the family's words: "1000 systems of 3 equations"
  std::string started;                                // UTC
  double seconds = 0;                                 // of wall time, all in all
  double seconds_of_setup = 0, seconds_of_solve = 0;  // among them
  double seconds_of_earlier_runs = 0;                 // that this one continues
  double time = 0;                                    // problem time or iteration reached
  bool finished = false, converged = true;
  std::string stopped_by;  // when not finished
  std::string reached;     // "t = 0.5", and the command line that goes on from there
  std::string going_on;
  std::string failure;  // why it did not converge, or what went wrong
  int exit_code = 0;
  std::vector<Finding> findings;
  std::vector<std::pair<std::string, std::vector<double>>> series;  // the short ones of tables.h5
  std::vector<Timer> timers;
  std::optional<SlowRank> slow_rank;
  std::vector<Traffic> sent;  // rank by rank
  std::optional<ProfileReport> profile;
};

// The text of report.json.
std::string report_text(const Report& report);

// Writes `path` by rename. MachineError when that fails. On one rank.
void write_report(const std::string& path, const Report& report);

}  // namespace halocline
