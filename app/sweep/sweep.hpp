// Sweep: a deck with every combination of values of some keys, in one job. Ranks are shared out in groups, which take
// one case after the other; every case is a run with a directory of its own.
#pragma once

#include <functional>

#include "app/cli.hpp"
#include "app/run/launcher.hpp"
#include "io/output/report.hpp"
#include "lib/base/log.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// A run among others.
struct CaseRun {
  const Communicator& comm;
  Log& log;
  const Command& command;
  const LoadedDeck& deck;
  std::function<void()> each_slice = {};  // called between slices of work
  bool progress = true;                   // it may have the terminal's line
};
// Runs a case with all its files; throws what a run throws. Collective over the case's ranks.
using RunCase = std::function<Report(const CaseRun&)>;

// Groups of ranks that `each` asks for: "" one per case, as far as ranks reach; "all" one; N: of N ranks. DeckError.
int groups_for(int ranks, Index cases, const std::string& each);

// Runs the cases, prints their table on rank 0 and writes sweep.csv and sweep.h5 into the output directory with _sweep
// behind its name, or the one --set gives. Returns the worst exit code of the cases. Collective.
int run_sweep(const Communicator& comm, Log& log, const Command& command, const RunCase& run_case);

}  // namespace halocline
