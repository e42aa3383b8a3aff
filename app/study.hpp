// Study: one deck on a sequence of grids, each twice as fine as the one before, with errors and observed orders.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/cli.hpp"
#include "lib/base/log.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// One grid of a study.
struct StudyRow {
  Index factor = 1;  // of refinement
  Index unknowns = 0;
  double iterations = 0;  // NaN when the family has none
  double seconds = 0;
  // max_error.*, rms_error.*; without an exact solution max_change.*, rms_change.* since the grid before.
  std::vector<std::pair<std::string, double>> errors;
};

// Observed order of error number `error` between rows k - 1 and k: log2(e_{k-1} / e_k); NaN for the first row.
double observed_order(const std::vector<StudyRow>& rows, std::size_t k, std::size_t error);
// Of the finest of three grids or more whose changes are known: the change times 1/(2^order - 1), as text; "" without.
std::string estimated_errors(const std::vector<StudyRow>& rows);
std::string study_table(const std::vector<StudyRow>& rows);
std::string study_csv(const std::vector<StudyRow>& rows);

// Runs it, prints the table on rank 0 and writes study.csv into the output directory with _study behind its name, or
// the one --set gives. Returns the exit code: 3 when a grid did not converge. Collective.
int run_study(const Communicator& comm, Log& log, const Command& command);

}  // namespace halocline
