// Problem and Family: what a problem family gives to the driver, and what it gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/base/error.hpp"
#include "lib/base/log.hpp"
#include "lib/base/publish.hpp"
#include "lib/base/timers.hpp"
#include "mpi/communicator.hpp"
#include "mpi/halo/halo.hpp"
#include "mpi/partition.hpp"
#include "mpi/team.hpp"

namespace halocline {

// How a run is laid out.
struct Shape {
  int ranks = 1;
  std::vector<double> weights{1.0};  // of all parts, rank by rank
};

// What a problem may use; outlives it.
struct Context {
  const Communicator& comm;
  const Team& team;
  Timers& timers;
  Log& log;
  Shape shape;               // weights of all parts
  int host_threads = 1;      // that this rank may use while its devices rest
  Partition partition = {};  // the plan's

  // What part number `part` of this rank owns of what the plan has shared out: lines, planes, systems.
  Range<1> own(int part) const {
    require(partition.parts() == team.total_parts(), "the plan has not shared out its work to these parts");
    return partition.block(team.first_part() + part);
  }

  // Of the rank's host devices together, or of the rank when its devices are GPUs.
  int all_threads() const {
    int threads = 0;
    for (int p = 0; p < team.parts(); ++p) threads += team.executor(p)->threads();
    return std::max(threads, host_threads);
  }
};

// Where the run stands after a slice of work.
struct Step {
  double t = 0;         // problem time, or the iteration
  double fraction = 0;  // of the work done, 0 to 1, for the estimate of the time left
  bool finished = false;
  std::string status;  // for the progress line: "iteration 120, residual 3.1e-05"
  // Of Pace::steps: what comes next belongs to this end alone, and a run with a later one has the state as well.
  bool before_end = false;
};

class Problem {
 public:
  virtual ~Problem() = default;
  virtual void initialize() = 0;  // fresh start; archive() replaces it on restart
  // A bounded slice (about 0.2 s) of steps or iterations, never past t_stop. Collective: every rank does the same
  // number.
  virtual Step advance(double t_stop) = 0;
  virtual void publish(FieldSink& sink) const = 0;  // collective
  virtual void archive(StateArchive& archive) = 0;  // collective; saves or restores
  virtual void verify(Findings&) const {}           // collective; the same findings on every rank
  // For families with Pace::steps: the time at which the number of steps done will next be a multiple of `every`. Where
  // steps can turn out shorter than they are thought to be, advance() returns after each that does, once this was
  // asked, and steps_done() tells that a multiple came sooner.
  virtual double next_step_time(Index /*every*/) const { return std::numeric_limits<double>::infinity(); }
  virtual Index steps_done() const { return 0; }
  virtual Traffic traffic() const { return {}; }  // messages and bytes this rank has sent to others
};

// What `check` prints before anything is allocated.
struct Plan {
  Index unknowns = 0;
  std::size_t bytes_per_part = 0;  // of device memory, largest part
  std::size_t message_bytes = 0;   // per part and step or iteration
  double work = 0;                 // floating-point operations per step or iteration
  std::string shape = {};          // what a restart must have in common, in words; the unknowns if empty
  std::string formulas = {};       // the rest of it: whatever else decides what is solved, in any form
  double table_bytes = 0;          // of results in tables.h5
  double traffic = 0;              // bytes that a step or iteration reads and writes, largest part; 0: not forecast
  double steps = 0;                // steps or iterations of the run; 0: not known before
  // Problem time, or the iteration, after which nothing comes; infinite: not known before.
  double end = std::numeric_limits<double>::infinity();
  double checkpoint_bytes = 0;     // of a checkpoint at most; 0: not forecast
  std::size_t archived_bytes = 0;  // of its largest array, largest part; 0: a field of `grid`
  bool in_slabs = true;            // fields on `grid` are cut along its slowest axis alone, z, or y where there is none
  // Lines, planes or systems of every part, for Context::partition. Made here alone, so that `check` judges what `run`
  // does. Without parts where only a run can tell: by what a sample of its systems costs.
  Partition partition = {};
  std::vector<std::string> notes = {};  // what the user may want to know of choices made
  // Where these depend on the deck: as Family::on_grid, and the fields of the family that there are (all if empty).
  std::optional<bool> on_grid = {};
  std::vector<std::string> fields = {};
  std::optional<Grid> grid = {};  // of these fields; places of probes and pictures are checked against it
  std::string smaller = {};       // keys of the deck with which bytes_per_part would be less; empty: none
};

// What Step::t of a family counts.
enum class Pace {
  steps,       // time that goes on in steps
  iterations,  // of a solver, towards one result
  none         // nothing that a deck could name: the end alone has results
};

struct Family {
  const char* name;     // also the value of `problem:` and the name of the family's block
  const char* summary;  // one line
  // Options with defaults. Their describe() describes the keys of two groups at the top of the deck: the family's block
  // and `verify`.
  std::unique_ptr<Options> (*options)();
  std::span<const char* const> fields;  // that `output.fields` may name
  // Checks across keys, with their places, and forecasts cost.
  Plan (*plan)(const Options& options, const Shape& shape, Faults& faults);
  std::unique_ptr<Problem> (*make)(const Context& context, const Options& options);
  // What decides which keys of the blocks `output` and `checkpoint` mean something; the others are faults of a deck.
  Pace pace = Pace::steps;
  bool on_grid = true;                       // fields, of which pictures and probes can be made, not columns
  std::span<const char* const> compat = {};  // words of `output.compat` whose files it has all values for
  // Where decks name their fields: those of options that have been read, valid as long as they; null: `fields`.
  std::span<const char* const> (*fields_of)(const Options& options) = nullptr;

  std::span<const char* const> known_fields(const Options& options) const {
    return fields_of != nullptr ? fields_of(options) : fields;
  }
};

// All families of the program (registry.cpp).
std::span<const Family> families();

}  // namespace halocline
