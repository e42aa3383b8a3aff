#include "app/run/driver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <new>

#include "app/run/signals.hpp"
#include "mpi/arrival.hpp"

namespace halocline {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::chrono::milliseconds patience{2000};  // for other ranks to meet the same failure

}  // namespace

double next_multiple(double period, double t) {
  // A time that is a multiple up to rounding counts as one.
  return period * (std::floor(t / period * (1 + 1e-14) + 1e-12) + 1);
}

double Schedule::next_after(double t, const Problem& problem) const {
  if (every_ > 0) return next_multiple(every_, t);
  if (every_steps_ > 0) return problem.next_step_time(every_steps_);
  const auto next = std::upper_bound(at_.begin(), at_.end(), t);
  return next == at_.end() ? never : *next;
}

double Schedule::due_at(double t, const Problem& problem) const {
  constexpr double rounding = 1e-12;
  if (!(t > 0)) return never;
  const auto near = [t](double due) { return std::abs(due - t) <= rounding * std::abs(t) ? due : never; };
  if (every_ > 0) return near(every_ * std::round(t / every_));
  // Families that are not asked for their steps count none.
  if (every_steps_ > 0) return problem.steps_done() > 0 && counts(problem.steps_done()) ? t : never;
  for (const double time : at_)
    if (near(time) == time) return time;
  return never;
}

bool Schedule::wants_start() const { return every_ > 0 || every_steps_ > 0 || (!at_.empty() && at_.front() <= 0); }

Driver::Driver(const Context& context, const SharedOptions& options, ResultWriter* writer, Checkpoints* checkpoints,
               Progress& progress, CompatFiles* compat)
    : context_(context),
      options_(options),
      writer_(writer),
      checkpoints_(checkpoints),
      progress_(progress),
      images_(context, options.output.images, options.output.directory + "/images"),
      recorder_(context, options.output.probes),
      compat_(compat) {
  const OutputOptions& output = options.output;
  if (writer != nullptr) {
    due_.push_back({{output.probes.every, output.probes.every_steps}, &Driver::record});
    due_.push_back({{output.images.every, output.images.every_steps}, &Driver::picture});
  }
  due_.push_back({Schedule(output), &Driver::publish});
  due_.push_back({{options.checkpoint.every, 0}, &Driver::save});
}

RunResult Driver::run(Problem& problem, const std::string& restart) {
  try {
    begin(problem, restart);
    const SignalListener listener;
    loop(problem);
  } catch (const NumericalError& error) {
    complete_outputs();
    if (saved_.empty()) throw;
    throw NumericalError(std::string(error.what()) + "; the last checkpoint is " + saved_);
  } catch (...) {
    complete_outputs();
    throw;
  }
  end(problem);
  return result_;
}

// After a failure: outputs under way are of times before it. Where other ranks have not failed they are lost, since
// files need all ranks.
void Driver::complete_outputs() {
  if (writer_ == nullptr || writer_->is_settled()) return;
  try {
    if (all_arrive(context_.comm, patience)) writer_->finish();
  } catch (const MachineError& error) {
    context_.log.warning(error.what());
  }
}

void Driver::begin(Problem& problem, const std::string& restart) {
  bool restored = false;
  {
    const auto solve = context_.timers.scope("solve");
    const auto scope = context_.timers.scope("begin");
    restored = checkpoints_ != nullptr && !restart.empty() && restore(problem, restart);
    if (!restored) problem.initialize();
  }
  if (compat_ != nullptr) compat_->check(problem);
  for (Due& due : due_) {
    if (!restored && due.act != &Driver::save && due.schedule.wants_start()) (this->*due.act)(problem);
    due.next = due.schedule.next_after(result_.step.t, problem);
    due.steps = problem.steps_done();
    if (restored && due.act != &Driver::save) catch_up(due, problem);
  }
  looked_at_ = problem.steps_done();
}

double Driver::last(const Due& due) const {
  return due.act == &Driver::publish ? published_ : due.act == &Driver::picture ? pictured_ : recorded_;
}

// A checkpoint at the end of a run lacks what is due then, since the end writes it in any case. One that was saved
// after all that its steps had due lacks nothing, and may show a state that no number of steps leads to.
void Driver::catch_up(Due& due, Problem& problem) {
  if (due.schedule.counts_steps() && looked_at_ == problem.steps_done()) return;
  const double t = result_.step.t, time = due.schedule.due_at(t, problem);
  if (time == never || std::abs(last(due) - time) <= 1e-12 * time) return;
  if (time > t) {
    due.next = time;
  } else {
    (this->*due.act)(problem);
  }
}

// False when there is no checkpoint to continue from.
bool Driver::restore(Problem& problem, const std::string& restart) {
  const auto read = [&](StateArchive& state) { archive(problem, state); };
  const Checkpoints::Restored restored =
      restart == "auto" ? checkpoints_->restore_newest(read) : checkpoints_->restore(restart, read);
  for (const std::string& warning : restored.warnings) context_.log.warning(warning);
  if (restored.file.empty()) return false;
  context_.log.info("continues from " + restored.file);
  saved_ = restored.file;
  saved_at_ = result_.step.t;
  if (writer_ != nullptr) writer_->resume(published_);
  if (compat_ != nullptr) compat_->resume();
  return true;
}

void Driver::loop(Problem& problem) {
  while (!result_.step.finished) {
    advance(problem);
    if (look_around_) look_around_();
    progress_.update(result_.step, problem.steps_done());
    const Decision decision = decide();
    if (writer_ != nullptr) writer_->poll();
    if (result_.step.finished) break;
    try {
      act_when_due(problem);
      if (result_.step.before_end) save_for_later(problem);
    } catch (const std::bad_alloc&) {  // wherever that was: what there is may be half of an output or a record
      throw;
    } catch (...) {
      keep(problem);
      throw;
    }
    if (decision.save || decision.stop) save(problem);
    if (decision.stop) {
      result_.stopped_by = decision.reason;
      break;
    }
  }
}

void Driver::advance(Problem& problem) {
  const auto scope = context_.timers.scope("solve");
  double stop = never;
  for (const Due& due : due_) stop = std::min(stop, due.next);
  result_.step = problem.advance(stop);
}

void Driver::act_when_due(Problem& problem) {
  const Index steps = problem.steps_done();
  for (Due& due : due_) {
    const bool now = result_.step.t >= due.next || (steps != due.steps && due.schedule.counts(steps));
    if (due.act == &Driver::save) looked_at_ = steps;  // the last of them
    if (now) (this->*due.act)(problem);
    due.steps = steps;
    // A step that was cut short for something else brings those that are counted forward. To be decided here, and not
    // when the next one comes, so that a restart decides the same.
    if (now || due.schedule.counts_steps()) due.next = due.schedule.next_after(result_.step.t, problem);
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

void Driver::write_fields(const Problem& problem) {
  writer_->begin_step(result_.step.t);
  problem.publish(*writer_);
  if (options_.output.probes.given()) recorder_.publish(*writer_);
  writer_->end_step();
}

void Driver::publish(Problem& problem) {
  if (writer_ == nullptr || published_ == result_.step.t) return;
  const auto scope = context_.timers.scope("output");
  write_fields(problem);
  if (compat_ != nullptr)
    compat_->write(problem,
                   {result_.step.t, result_.step.finished, elapsed() + result_.earlier_seconds, context_.timers});
  published_ = result_.step.t;
  context_.log.debug("output at " + std::to_string(published_));
}

void Driver::picture(Problem& problem) {
  if (pictured_ == result_.step.t) return;
  const auto scope = context_.timers.scope("images");
  images_.take(problem, result_.step.t);
  pictured_ = result_.step.t;
}

void Driver::record(Problem& problem) {
  if (recorded_ == result_.step.t) return;
  const auto scope = context_.timers.scope("probes");
  recorder_.take(problem, result_.step.t);
  recorded_ = result_.step.t;
}

// What the driver itself needs to go on, then the problem's own state.
void Driver::archive(Problem& problem, StateArchive& state) {
  double total = result_.earlier_seconds + elapsed();
  state.scalar("driver_time", result_.step.t);
  state.scalar("driver_fraction", result_.step.fraction);
  state.scalar("driver_published", published_);
  state.scalar("driver_seconds", total);
  state.scalar("driver_pictured", pictured_);
  state.scalar("driver_recorded", recorded_);
  state.scalar("driver_steps", looked_at_);
  Index pictures = images_.taken();
  state.scalar("driver_pictures", pictures);
  if (state.restoring()) {
    result_.earlier_seconds = total;
    images_.resume(pictures);
  }
  recorder_.archive(state);
  problem.archive(state);
}

void Driver::save(Problem& problem) {
  if (checkpoints_ == nullptr || saved_at_ == result_.step.t) return;
  const auto scope = context_.timers.scope("checkpoint");
  if (writer_ != nullptr) writer_->finish();  // a restart counts on the outputs before it
  images_.finish();
  last_save_ = Clock::now();
  save_failure_.clear();
  try {
    saved_ = checkpoints_->save([&](StateArchive& state) { archive(problem, state); });
    saved_at_ = result_.step.t;
    context_.log.debug("saved " + saved_);
  } catch (const DeckError& error) {  // the family has no restart; the run itself is as good as before
    context_.log.warning(std::string("no checkpoint: ") + error.what());
  } catch (const MachineError& error) {  // the same on all ranks; the run goes on, or ends with its results
    context_.log.warning(std::string("no checkpoint: ") + error.what());
    save_failure_ = error.what();
  }
}

// Once, for a run that goes on beyond this one's end.
void Driver::save_for_later(Problem& problem) {
  if (!options_.checkpoint.at_end || saved_for_later_) return;
  saved_for_later_ = true;
  const std::string failure = save_failure_;
  save(problem);
  save_failure_ = failure;
}

// After an output, a picture or a record that has failed, the state is as good as before: a checkpoint, and its fields,
// which a run that goes on from there does not have and removes. An output that is lost would be missing for ever after
// a checkpoint.
void Driver::keep(Problem& problem) {
  if (!all_arrive(context_.comm, patience)) return;  // the others wait for what has failed here
  if (writer_ == nullptr || !writer_->has_lost()) attempt([&] { save(problem); });
  attempt([&] { publish(problem); });
}

// What fails on all ranks alike does not keep the rest from being done; the first failure counts.
void Driver::attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    if (!all_arrive(context_.comm, patience)) throw;
    if (!failure_) failure_ = std::current_exception();
  }
}

// Fields first: what is made of them may fail, or end the program.
void Driver::end(Problem& problem) {
  progress_.finish();
  result_.finished = result_.step.finished;
  if (writer_ != nullptr && !result_.finished) writer_->mark("finished", "false");
  {
    const SignalListener listener;  // what is saved at an end is written whole; what comes then may be cut short
    // Before the output of the end, which a longer run does not have.
    if (result_.finished) attempt([&] { save_for_later(problem); });
    attempt([&] { publish_end(problem); });
  }
  if (result_.finished) {
    const auto scope = context_.timers.scope("verify");
    attempt([&] { problem.verify(result_.findings); });
  }
  if (writer_ != nullptr) attempt([&] { complete_end(problem); });
  images_.finish();
  if (failure_) std::rethrow_exception(failure_);
  result_.seconds = elapsed();
  result_.solve_seconds = context_.timers.seconds("solve");
  if (!result_.finished && !save_failure_.empty()) throw MachineError(save_failure_);
}

void Driver::publish_end(Problem& problem) {
  publish(problem);
  if (writer_ == nullptr) return;
  const auto scope = context_.timers.scope("output");
  writer_->finish();
}

// What the end has besides its fields; these once more where they are to be marked.
void Driver::complete_end(Problem& problem) {
  if (options_.output.probes.given()) attempt([&] { record(problem); });
  if (options_.output.images.given()) attempt([&] { picture(problem); });
  const bool unfit = !result_.findings.failure.empty();
  if (!unfit && !options_.output.probes.given()) return;
  const auto scope = context_.timers.scope("output");
  if (options_.output.probes.given()) recorder_.publish(*writer_);
  if (!unfit) return writer_->write_tables();
  writer_->mark("converged", "false");
  writer_->repeat_step();
  write_fields(problem);
  writer_->finish();
}

}  // namespace halocline
