// Launcher: from a deck to what a run needs: options, devices, parts, output directory, provenance.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.hpp"
#include "app/run/run_options.hpp"
#include "gpu/devices.hpp"
#include "io/directory_lock.hpp"
#include "io/fingerprint.hpp"
#include "io/named_files.hpp"
#include "lib/problems/problem.hpp"
#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

// The key at the top of every deck; its words are the names of the families.
inline constexpr Key problem_key{"problem", "", "The family of problems; `halocline list` shows all.", true};

// Where a rank is among all ranks of the job, whose machine it shares, also when only some of them have the run.
struct JobSeat {
  NodePlace node;
  int threads = 1;  // of the host, when the deck does not say
};

// A deck without faults. Options of the family and shared ones are the same on every rank.
struct LoadedDeck {
  std::string file;  // as given
  std::string name;  // of the file without folder and ending
  const Family* family = nullptr;
  std::unique_ptr<Options> options;
  SharedOptions shared;
  Shape shape;
  Plan plan;
  std::string resolved;              // YAML with every key
  Fingerprint keys = {};             // of the family's options
  NamedFiles files = {};             // as they were before anything was read of them
  std::optional<JobSeat> seat = {};  // of a run on some ranks of a job; otherwise as the communicator says
};

// What a command has to say of a plan: `failed`, where it has faults. Collective.
using JudgePlan = std::function<void(const LoadedDeck& deck, bool failed, Faults& faults)>;

// Takes the text that all ranks have read alike, or reads the deck on rank 0 and shares its text, and reports every
// fault of it in one DeckError, the same on every rank. `refine`: the grid is made that many times as fine.
// `directory_suffix` ends the default output directory. Collective.
LoadedDeck load_deck(const Communicator& comm, const Command& command, int refine = 1,
                     const std::string& directory_suffix = "", const JudgePlan& judge = {});

// Host threads of this rank when the deck does not say: OMP_NUM_THREADS, else the hardware threads it may use, shared
// with the ranks of the same node that may use the same ones; at least 1. Collective.
int default_threads(const Communicator& comm);

// The executors of a rank, one per part; devices without a number of their own share out `threads`.
// `profiled` as for make_executor().
std::vector<ExecutorPtr> make_executors(const RunOptions& run, int threads, const NodePlace& place,
                                        const Timers* profiled = nullptr);

// Removes the files of a run, and its directory when nothing else is in it. By one rank.
void remove_run(const std::string& directory);

// Where this rank is for a run of `deck` on `comm`. Collective.
JobSeat seat_of(const Communicator& comm, const LoadedDeck& deck);

// Makes the output directory and puts the resolved deck there. Files of an earlier run are removed unless this one
// continues it, and so is its report, since what it tells ends now. Takes the lock. MachineError when it cannot be
// written. Collective; errors are the same on all ranks.
void prepare_directory(const Communicator& comm, const LoadedDeck& deck, const Command& command, DirectoryLock& lock);

// Which devices every rank drives, with their shares of the work unless they are equal, one line per rank; on rank 0,
// empty elsewhere. Collective.
std::vector<std::string> device_map(const Communicator& comm, const Team& team, const Shape& shape);

}  // namespace halocline
