// Driver: the loop of a run. Advances a problem in slices, publishes and saves when due, and ends early on a signal or
// the wall limit with everything readable.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/formats/compat.hpp"
#include "app/run/images.hpp"
#include "app/run/progress.hpp"
#include "app/run/recorder.hpp"
#include "app/run/run_options.hpp"
#include "io/output/checkpoint.hpp"
#include "io/output/result_writer.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

// When something is due: at multiples of a time, after every so many steps, or at listed times; never when none of
// these is given.
class Schedule {
 public:
  Schedule(double every, Index every_steps, std::vector<double> at = {})
      : every_(every), every_steps_(every_steps), at_(std::move(at)) {}
  explicit Schedule(const OutputOptions& options) : Schedule(options.every, options.every_steps, options.at) {}
  // The first time after `t`; infinity when there is none.
  double next_after(double t, const Problem& problem) const;
  // Whether the state before the first step counts.
  bool wants_start() const;
  bool counts_steps() const { return every_steps_ > 0 && every_ <= 0; }
  // The time at or near `t` at which something is due, but for rounding; infinity where it is not.
  double due_at(double t, const Problem& problem) const;
  // Whether this number of steps is one at which something is due.
  bool counts(Index steps) const { return counts_steps() && steps % every_steps_ == 0; }

 private:
  double every_;
  Index every_steps_;
  std::vector<double> at_;
};

// The smallest multiple of `period` greater than `t`, safe against rounding.
double next_multiple(double period, double t);

struct RunResult {
  Step step;                   // the last
  bool finished = false;       // false: a signal or the wall limit ended the run
  std::string stopped_by;      // which, when not finished
  Findings findings;           // when finished
  double seconds = 0;          // of wall time since the timers began, with the set-up but without earlier runs
  double solve_seconds = 0;    // of these in the problem itself
  double earlier_seconds = 0;  // of the runs that this one continues
};

class Driver {
 public:
  // All arguments outlive the driver. Without a writer nothing is published (fields, pictures, series), without
  // checkpoints nothing is saved. `compat`: written after each output, if any.
  Driver(const Context& context, const SharedOptions& options, ResultWriter* writer, Checkpoints* checkpoints,
         Progress& progress, CompatFiles* compat = nullptr);

  // `look_around` is called after every slice of work.
  void between_slices(std::function<void()> look_around) { look_around_ = std::move(look_around); }

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

  // What happens at times of its own.
  struct Due {
    Schedule schedule;
    void (Driver::*act)(Problem&);
    double next = 0;
    Index steps = 0;  // done when that was last looked at
  };

  double last(const Due& due) const;
  void catch_up(Due& due, Problem& problem);
  void save_for_later(Problem& problem);
  void complete_outputs();
  void begin(Problem& problem, const std::string& restart);
  bool restore(Problem& problem, const std::string& restart);
  void loop(Problem& problem);
  void advance(Problem& problem);
  void act_when_due(Problem& problem);
  void end(Problem& problem);
  void publish_end(Problem& problem);
  void complete_end(Problem& problem);
  void keep(Problem& problem);
  void attempt(const std::function<void()>& work);
  Decision decide() const;
  void publish(Problem& problem);
  void write_fields(const Problem& problem);
  void picture(Problem& problem);
  void record(Problem& problem);
  void save(Problem& problem);
  void archive(Problem& problem, StateArchive& archive);
  double elapsed() const { return context_.timers.elapsed(); }

  Context context_;
  const SharedOptions& options_;
  ResultWriter* writer_;
  Checkpoints* checkpoints_;
  Progress& progress_;
  Images images_;
  Recorder recorder_;
  CompatFiles* compat_;
  std::function<void()> look_around_;
  std::vector<Due> due_;  // in this order: an output has the record of its time, a checkpoint all of them
  Index looked_at_ = 0;   // steps done when all that was due has been done
  Clock::time_point last_save_ = Clock::now();
  std::string saved_;         // the last checkpoint
  std::string save_failure_;  // of the last attempt
  bool saved_for_later_ = false;
  std::exception_ptr failure_;  // the first of what attempt() did
  // Times of the last output, picture, record and checkpoint.
  static constexpr double never_yet = -std::numeric_limits<double>::infinity();
  double published_ = never_yet, pictured_ = never_yet, recorded_ = never_yet, saved_at_ = never_yet;
  RunResult result_;
};

}  // namespace halocline
