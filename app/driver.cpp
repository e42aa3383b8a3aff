#include "app/driver.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/signals.hpp"

namespace halocline {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

double next_multiple(double period, double t) {
  // A time that is a multiple up to rounding counts as one.
  return period * (std::floor(t / period * (1 + 1e-14) + 1e-12) + 1);
}

double Schedule::next_after(double t, const Problem& problem) const {
  if (options_.every > 0) return next_multiple(options_.every, t);
  if (options_.every_steps > 0) return problem.next_step_time(options_.every_steps);
  const auto next = std::upper_bound(options_.at.begin(), options_.at.end(), t);
  return next == options_.at.end() ? never : *next;
}

bool Schedule::wants_start() const {
  return options_.every > 0 || options_.every_steps > 0 || (!options_.at.empty() && options_.at.front() <= 0);
}

Driver::Driver(const Context& context, const SharedOptions& options, ResultWriter* writer, Checkpoints* checkpoints,
               Progress& progress)
    : context_(context),
      options_(options),
      writer_(writer),
      checkpoints_(checkpoints),
      progress_(progress),
      schedule_(options.output) {}

RunResult Driver::run(Problem& problem, const std::string& restart) {
  begin(problem, restart);
  loop(problem);
  end(problem);
  return result_;
}

void Driver::begin(Problem& problem, const std::string& restart) {
  const auto scope = context_.timers.scope("begin");
  if (checkpoints_ != nullptr && !restart.empty() && restore(problem, restart)) return;
  problem.initialize();
  if (schedule_.wants_start()) publish(problem);
}

// False when there is no checkpoint to continue from.
bool Driver::restore(Problem& problem, const std::string& restart) {
  const auto read = [&](StateArchive& state) { archive(problem, state); };
  const Checkpoints::Restored restored =
      restart == "auto" ? checkpoints_->restore_newest(read) : checkpoints_->restore(restart, read);
  for (const std::string& warning : restored.warnings) context_.log.warning(warning);
  if (restored.file.empty()) return false;
  context_.log.info("continues from " + restored.file);
  if (writer_ != nullptr) writer_->resume(published_);
  return true;
}

void Driver::loop(Problem& problem) {
  double next_output = schedule_.next_after(result_.step.t, problem);
  const double save_every = options_.checkpoint.every;
  double next_save = save_every > 0 ? next_multiple(save_every, result_.step.t) : never;
  while (!result_.step.finished) {
    {
      const auto scope = context_.timers.scope("advance");
      result_.step = problem.advance(std::min(next_output, next_save));
    }
    const double t = result_.step.t;
    progress_.update(result_.step);
    const Decision decision = decide();
    if (result_.step.finished) break;  // the last output comes after the verification, which may mark it
    if (t >= next_output) {
      publish(problem);
      next_output = schedule_.next_after(t, problem);
    }
    if (t >= next_save || decision.save || decision.stop) save(problem);
    if (t >= next_save) next_save = next_multiple(save_every, t);
    if (decision.stop) {
      result_.stopped_by = decision.reason;
      break;
    }
  }
}

// Signals may reach any rank; the clock is that of rank 0.
Driver::Decision Driver::decide() const {
  std::array<Index, 3> words{caught_signal(), 0, 0};
  if (context_.comm.rank() == 0) {
    const double limit = options_.run.wall_limit, interval = options_.checkpoint.interval;
    words[1] = limit > 0 && elapsed() >= limit ? 1 : 0;
    const double since_save = std::chrono::duration<double>(Clock::now() - last_save_).count();
    words[2] = checkpoints_ != nullptr && interval > 0 && since_save >= interval ? 1 : 0;
  }
  context_.comm.max(std::span<Index>(words));
  Decision decision;
  decision.save = words[2] == 1;
  decision.stop = words[0] != 0 || words[1] == 1;
  if (words[0] != 0) {
    decision.reason = signal_name(static_cast<int>(words[0]));
  } else if (words[1] == 1) {
    decision.reason = "the wall limit";
  }
  return decision;
}

void Driver::publish(const Problem& problem) {
  if (writer_ == nullptr || published_ == result_.step.t) return;
  const auto scope = context_.timers.scope("output");
  writer_->begin_step(result_.step.t);
  problem.publish(*writer_);
  writer_->end_step();
  published_ = result_.step.t;
  context_.log.debug("output at " + std::to_string(published_));
}

// What the driver itself needs to go on, then the problem's own state.
void Driver::archive(Problem& problem, StateArchive& state) {
  double total = result_.earlier_seconds + elapsed();
  state.scalar("driver_time", result_.step.t);
  state.scalar("driver_fraction", result_.step.fraction);
  state.scalar("driver_published", published_);
  state.scalar("driver_seconds", total);
  if (state.restoring()) result_.earlier_seconds = total;
  problem.archive(state);
}

void Driver::save(Problem& problem) {
  if (checkpoints_ == nullptr) return;
  const auto scope = context_.timers.scope("checkpoint");
  last_save_ = Clock::now();
  save_failure_.clear();
  try {
    const std::string file = checkpoints_->save([&](StateArchive& state) { archive(problem, state); });
    context_.log.debug("saved " + file);
  } catch (const DeckError& error) {  // the family has no restart; the run itself is as good as before
    context_.log.warning(std::string("no checkpoint: ") + error.what());
  } catch (const MachineError& error) {  // the same on all ranks; the run goes on, or ends with its results
    context_.log.warning(std::string("no checkpoint: ") + error.what());
    save_failure_ = error.what();
  }
}

void Driver::end(Problem& problem) {
  progress_.finish();
  result_.finished = result_.step.finished;
  if (result_.finished) {
    const auto scope = context_.timers.scope("verify");
    problem.verify(result_.findings);
  }
  if (writer_ != nullptr && !result_.findings.failure.empty()) writer_->mark("converged", "false");
  if (writer_ != nullptr && !result_.finished) writer_->mark("finished", "false");
  publish(problem);
  result_.seconds = elapsed();
  if (!result_.finished && !save_failure_.empty()) throw MachineError(save_failure_);
}

}  // namespace halocline
