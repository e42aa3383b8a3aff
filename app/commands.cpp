#include "app/commands.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>

#include "app/agreement.hpp"
#include "app/count_ranks.hpp"
#include "app/finished_run.hpp"
#include "app/forecast/forecast_table.hpp"
#include "app/formats/compat.hpp"
#include "app/plot/plot.hpp"
#include "app/plot/report_page.hpp"
#include "app/reproduce.hpp"
#include "app/run/driver.hpp"
#include "app/run/launcher.hpp"
#include "app/run/memory.hpp"
#include "app/run/own_files.hpp"
#include "app/run/profile.hpp"
#include "app/run/session.hpp"
#include "app/run/signals.hpp"
#include "app/run/summary.hpp"
#include "app/study.hpp"
#include "app/sweep/sweep.hpp"
#include "app/texts.hpp"
#include "gpu/devices.hpp"
#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/output/outputs.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/printable.hpp"

namespace halocline {
namespace {

void say(const Communicator& comm, const std::string& raw, bool must_arrive = true) {
  if (comm.rank() != 0) return;
  const std::string text = printable(raw);
  // All files are written by now, and a result table that nobody reads is no failure; other texts are all there is.
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && must_arrive) throw MachineError("cannot write to the standard output");
}

std::string full_table(const Report& report, const std::string& directory) {
  return result_table(report, directory) + (report.profile ? profile_table(*report.profile) : "");
}

constexpr std::size_t most_in_report = 100;  // values of a series

// How far a run has come.
std::string reached_text(const LoadedDeck& deck, const Step& step) {
  if (deck.family->pace == Pace::steps) return "t = " + value_text(step.t);
  if (deck.family->pace == Pace::iterations) return "iteration " + value_text(step.t);
  return step.status;
}

// On rank 0, where one is wanted; before anything is replaced, so that a name that cannot be opened costs no earlier
// run its files.
std::unique_ptr<MonitorFile> open_monitor(const Communicator& comm, const std::string& name,
                                          const std::string& directory) {
  std::unique_ptr<MonitorFile> monitor;
  if (name.empty()) return monitor;  // on all ranks
  on_rank0(comm, [&] {
    namespace fs = std::filesystem;
    const fs::path folder = fs::absolute(name).lexically_normal().parent_path();
    std::error_code told_later;  // by what prepares the directory
    if (folder / "" == (fs::absolute(directory) / "").lexically_normal()) fs::create_directories(folder, told_later);
    monitor = std::make_unique<MonitorFile>(name);
  });
  return monitor;
}

// Runs a problem whose directory is prepared.
void run_problem(const CaseRun& run, const Command& command, const Context& context, Problem& problem,
                 const Writers& writers, Checkpoints& checkpoints, MonitorFile* monitor, Report& report) {
  const LoadedDeck& deck = run.deck;
  const Communicator& comm = context.comm;
  const std::string& directory = deck.shared.output.directory;
  on_rank0(comm, [&] {
    const std::string file = directory + "/run.log";
    if (!create_file(file, "")) throw MachineError(file + " is in the way: another process has just made it");
    context.log.open_file(file);
  });
  context.log.info(deck.file + ": " + std::to_string(deck.plan.unknowns) + " unknowns of family " + deck.family->name +
                   " on " + count_text(deck.shape.weights.size(), "part") + "; files in " + directory + "/");
  for (const std::string& line : report.devices) context.log.debug(line);
  context.log.debug(formatted("files are written by {} of {} ranks", writers.count(), comm.size()));
  Metadata metadata = report.provenance;
  metadata.emplace_back("resolved_deck", deck.resolved);
  ResultWriter writer(writers, directory, deck.shared.output.fields, metadata,
                      {deck.shared.output.geometry, deck.shared.output.on_the_way(), &context.log});
  // With every message of the log on the terminal, a line that renews itself would be in their way.
  Progress progress(context.log, comm.rank() == 0, run.progress && !command.verbose && stderr_is_terminal(), monitor);
  const auto compat = make_compat_files(deck.shared.output.compat, comm, directory);
  Driver driver(context, deck.shared, &writer, &checkpoints, progress, compat.get());
  driver.between_slices(run.each_slice);
  const RunResult result = driver.run(problem, command.restart);
  complete_report(context, result, problem.traffic(), report);
  if (!result.finished) {
    report.reached = reached_text(deck, result.step);
    report.going_on = continuing_line(command);
  }
  report.series = writer.tables().short_series(most_in_report);
  if (command.profile) report.profile = collect_profile(comm, context.team, context.timers, result.seconds);
  if (result.finished) Outputs(comm, directory).settle();  // a report that says so stands for all outputs
  on_rank0(comm, [&] { write_report(directory + "/report.json", report); });
  if (comm.rank() == 0) context.log.record("result:" + full_table(report, directory));
}

// What can still be said of a run that failed; main() tells the user.
void write_failure(const LoadedDeck& deck, const Error& error, Report& report) {
  report.failure = printable(error.what());
  report.converged = false;
  report.exit_code = static_cast<int>(error.code());
  try {
    write_report(deck.shared.output.directory + "/report.json", report);
  } catch (const MachineError&) {
    // The first error is the one to report.
  }
}

// A run with all its files, in a directory that is this run's.
Report solve(const CaseRun& run, DirectoryClaim& claim) {
  const Communicator& comm = run.comm;
  const LoadedDeck& deck = run.deck;
  Command command = run.command;
  const Session session(comm, run.log, deck, command.profile, &claim);
  // The last faults of the deck show here, so nothing is written before.
  const auto problem = session.make_problem(deck);
  deck.files.require_unchanged(comm);
  const Writers writers(comm, deck.shared.output.writer_choice());
  Checkpoints checkpoints = checkpoints_of(writers, deck);
  if (!command.restart.empty()) {
    const Checkpoints::Restored found = checkpoints.check(command.restart);
    if (found.file.empty()) command.restart.clear();  // nothing to go on from
    for (const std::string& warning : found.warnings)
      if (found.file.empty()) run.log.warning(warning);
  }
  const auto monitor = open_monitor(comm, command.monitor, deck.shared.output.directory);
  prepare_directory(comm, deck, command, claim.lock());
  Report report = begin_report(session.context(), deck);
  try {
    telling_forecast(deck, [&] {
      run_problem(run, command, session.context(), *problem, writers, checkpoints, monitor.get(), report);
    });
    if (comm.rank() == 0) list_own_files(deck.shared.output.directory);
    return report;
  } catch (const Error& error) {
    run.log.record(std::string("error: ") + error.what());
    if (comm.rank() == 0) {
      write_failure(deck, error, report);
      list_own_files(deck.shared.output.directory);
    }
    throw;
  }
}

Report run_case(const CaseRun& run) {
  DirectoryClaim claim(run.comm, run.log, run.deck, run.command);
  return solve(run, claim);
}

int run_deck(const Communicator& comm, Log& log, const Command& command) {
  log.record("halocline " HALOCLINE_VERSION ", command line: " + line_of(command));
  const LoadedDeck deck = load_deck(comm, command);
  const std::string& directory = deck.shared.output.directory;
  DirectoryClaim claim(comm, log, deck, command);
  if (command.restart == "auto") {
    claim.settle(comm);
    if (const auto earlier = find_finished_run(comm, deck)) {
      checkpoints_of(comm, deck).check("auto");         // files that the deck names may have changed
      if (comm.rank() == 0) list_own_files(directory);  // which that run may not have come to
      say(comm, earlier->text, false);
      return earlier->exit_code;
    }
  }
  const Report report = solve({comm, log, command, deck}, claim);
  say(comm, comm.rank() == 0 ? full_table(report, directory) : "", false);
  return report.exit_code;
}

void check_deck(const Communicator& comm, Log& log, const Command& command) {
  DeviceChoice device{known_rates().back()};
  on_rank0(comm, [&] {
    if (!command.devices.empty()) device = choose_device(command.devices, command.rates);
  });
  const bool asked = command.ranks > 0;
  const LoadedDeck deck = load_deck(comm, command, 1, "", [&](const LoadedDeck& read, bool failed, Faults& faults) {
    refuse_idle_parts(comm, read, failed, asked, device, faults);
  });
  std::string text = comm.rank() == 0 ? plan_table(deck, deck.shape.ranks) : "";
  if (comm.rank() == 0 && !command.devices.empty()) text += forecast_table(deck, device);
  say(comm, text);
  if (asked || !command.devices.empty()) return;  // of a machine that is not this one
  for (const std::string& warning : memory_warnings(comm, deck)) log.warning(warning);
}

// Words that cannot be understood are told after words that are not the same on all ranks.
Command common_command(const Communicator& comm, int argc, const char* const* argv) {
  Command command;
  std::exception_ptr fault;
  try {
    command = parse_command_line(argc, argv);
  } catch (...) {
    fault = std::current_exception();
  }
  command.deck_text = require_same_start(comm, argc, argv, command.deck);
  if (fault) std::rethrow_exception(fault);
  return command;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Communicator& comm, const std::string& mpi_library) {
  const Command command = common_command(comm, argc, argv);
  Log log(comm.rank() == 0, command.verbose ? LogLevel::debug : LogLevel::info);
  const bool computes = command.action == Action::run || command.action == Action::study ||
                        command.action == Action::sweep || command.action == Action::reproduce;
  if (computes) catch_signals(comm.rank());
  if (const std::string fault = fault_of_launcher(comm.size()); computes && !fault.empty()) throw MachineError(fault);
  switch (command.action) {
    case Action::run:
      return run_deck(comm, log, command);
    case Action::study:
      return run_study(comm, log, command);
    case Action::sweep:
      return run_sweep(comm, log, command, run_case);
    case Action::reproduce:
      return run_reproduce(comm, log, command);
    case Action::check:
      check_deck(comm, log, command);
      break;
    case Action::plot:
    case Action::report: {
      std::string made;
      on_rank0(comm, [&] {
        made = command.action == Action::plot ? plot_runs(command.plot) : write_report_page(command.plot);
      });
      say(comm, made + "\n");
      break;
    }
    case Action::list:
      say(comm, list_text());
      break;
    case Action::explain:
      say(comm, explain_text(command.family));
      break;
    case Action::schema:
      say(comm, schema_text(command.family));
      break;
    case Action::texts:
      say(comm, installed_text(command.text));
      break;
    case Action::info:
      say(comm, command.rates.empty()
                    ? info_text(comm, mpi_library)
                    : rates_text(measure_rates(cuda_device_count() > 0), cuda_device_count() > 0 ? "h200" : "host"));
      break;
    case Action::help:
      say(comm, command.text);
      break;
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace halocline
