// Driver: the loop of a run. Advances a problem in slices, publishes and saves when due, and ends early on a signal or
// the wall limit with everything readable.
#pragma once

#include <chrono>
#include <limits>
#include <string>

#include "app/progress.hpp"
#include "app/run_options.hpp"
#include "io/checkpoint.hpp"
#include "io/result_writer.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

// When to publish: multiples of a time, listed times, or every so many steps.
class Schedule {
 public:
  explicit Schedule(const OutputOptions& options) : options_(options) {}
  // The first time after `t` at which output is due; infinity when none is.
  double next_after(double t, const Problem& problem) const;
  // Whether the state before the first step is published.
  bool wants_start() const;

 private:
  const OutputOptions& options_;
};

// The smallest multiple of `period` greater than `t`, safe against rounding.
double next_multiple(double period, double t);

struct RunResult {
  Step step;                   // the last
  bool finished = false;       // false: a signal or the wall limit ended the run
  std::string stopped_by;      // which, when not finished
  Findings findings;           // when finished
  double seconds = 0;          // of wall time, without those of earlier runs
  double earlier_seconds = 0;  // of the runs that this one continues
};

class Driver {
 public:
  // All arguments outlive the driver. Without a writer nothing is published, without checkpoints nothing is saved.
  Driver(const Context& context, const SharedOptions& options, ResultWriter* writer, Checkpoints* checkpoints,
         Progress& progress);

  // Runs a problem that was neither initialized nor restored. `restart`: "", "auto" (the newest checkpoint) or a file.
  // Collective. Errors of the problem and of the writers pass through.
  RunResult run(Problem& problem, const std::string& restart);

 private:
  using Clock = std::chrono::steady_clock;
  // What rank 0 decides after a slice, for all.
  struct Decision {
    bool stop = false, save = false;
    std::string reason;
  };

  void begin(Problem& problem, const std::string& restart);
  bool restore(Problem& problem, const std::string& restart);
  void loop(Problem& problem);
  void end(Problem& problem);
  Decision decide() const;
  void publish(const Problem& problem);
  void save(Problem& problem);
  void archive(Problem& problem, StateArchive& archive);
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  Context context_;
  const SharedOptions& options_;
  ResultWriter* writer_;
  Checkpoints* checkpoints_;
  Progress& progress_;
  Schedule schedule_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_save_ = start_;
  std::string save_failure_;                                     // of the last attempt
  double published_ = -std::numeric_limits<double>::infinity();  // time of the last output
  RunResult result_;
};

}  // namespace halocline
