#include "app/sweep/sweep.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <numeric>
#include <optional>

#include "app/finished_run.hpp"
#include "app/run/own_files.hpp"
#include "app/run/signals.hpp"
#include "app/run/summary.hpp"
#include "app/sweep/cases.hpp"
#include "app/sweep/earlier_sweep.hpp"
#include "app/sweep/sweep_table.hpp"
#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/output/checkpoint.hpp"
#include "io/output/read_report.hpp"
#include "lib/base/format.hpp"
#include "mpi/arrival.hpp"
#include "mpi/groups.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds patience{2000};  // for other ranks of a group to meet the same failure
constexpr std::chrono::milliseconds between_tables{1000};
constexpr std::size_t largest_report = std::size_t{64} << 20;
constexpr const char* suffix = "_sweep";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A path as YAML, whatever characters it has.
std::string yaml_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

Report failed(const Error& error) {
  Report report;
  report.failure = error.what();
  report.converged = false;
  report.exit_code = static_cast<int>(error.code());
  return report;
}

class Sweep {
 public:
  Sweep(const Communicator& comm, Log& log, const Command& command, const RunCase& run_case)
      : comm_(comm),
        log_(log),
        command_(command),
        run_case_(run_case),
        cases_(command.over),
        groups_(groups_for(comm.size(), cases_.size(), command.each)),
        group_(split(comm, group_of(comm.rank(), comm.size(), groups_))),
        alone_(split(comm, comm.rank())),
        seat_{{comm.node_rank(), comm.node_size()}, default_threads(comm)},
        reports_(static_cast<std::size_t>(cases_.size())) {}

  int run() {
    if (!command_.restart.empty() && command_.restart != "auto")
      throw DeckError("halocline: a sweep goes on with --restart auto; every case has checkpoints of its own");
    check_cases();
    prepare();
    std::vector<Index> all(static_cast<std::size_t>(cases_.size()));
    std::iota(all.begin(), all.end(), Index{0});
    hand_out_ = std::make_unique<HandOut>(comm_, all, groups_, [this](const std::string& word) { hear(word); });
    work();
    if (comm_.rank() == 0) hand_out_->finish();
    on_rank0(comm_, [&] {
      write_tables();
      list_own_files(directory());
    });
    return tell();
  }

 private:
  bool leads() const { return group_->rank() == 0; }
  const std::string& directory() const { return first_.shared.output.directory; }

  Command command_of(Index number) const {
    Command command = command_;
    for (const std::string& text : cases_.overrides(number)) command.overrides.push_back(text);
    return command;
  }

  // Groups look for the faults of different cases; each fault is told once.
  void check_cases() {
    std::string faults;
    Index faulty = 0;
    for (Index number = group_of(comm_.rank(), comm_.size(), groups_); number < cases_.size(); number += groups_) {
      try {
        const LoadedDeck deck = load_deck(*group_, command_of(number), 1, suffix);
        if (number > 0) continue;
        first_.shared.output.directory = deck.shared.output.directory;
        first_.resolved = "# The first of " + std::to_string(cases_.size()) + " cases of a sweep.\n" + deck.resolved;
      } catch (const DeckError& error) {
        const std::string text = error.what();
        if (++faulty <= 3 && leads() && faults.find(text) == std::string::npos)
          faults += "case " + std::to_string(number + 1) + " (" + cases_.label(number) + "):\n" + text + "\n";
      }
    }
    if (comm_.agree(faulty == 0)) return comm_.broadcast(first_.shared.output.directory);
    std::string all;
    for (const std::string& text : comm_.gather(faults)) all += text;
    comm_.broadcast(all);
    if (!all.empty()) all.pop_back();
    throw DeckError(all);
  }

  // The directory of the sweep holds the deck of the first case, by which it counts as that of a run.
  void prepare() {
    claim_.emplace(comm_, log_, first_, command_);
    claim_->settle(comm_);
    if (!command_.restart.empty()) {
      on_rank0(comm_, [&] { refuse_other_sweep(fault_of_going_on(directory(), cases_)); });
      refuse_other_sweep(fault_of_cases());
    }
    if (command_.overwrite)
      on_rank0(comm_, [&] {
        for (const std::string& name : cases_in(directory(), cases_.size())) remove_run(directory() + "/" + name);
      });
    first_.file = command_.deck;
    prepare_directory(comm_, first_, command_, claim_->lock());
    log_.info(command_.deck + ": " + count_text(static_cast<std::size_t>(cases_.size()), "case") + " on " +
              count_text(static_cast<std::size_t>(groups_), "group") + " of " +
              count_text(static_cast<std::size_t>(comm_.size() / groups_), "rank") + "; files in " + directory() + "/");
    if (!command_.each.empty() && command_.each != "all" && comm_.size() % std::stoi(command_.each) != 0)
      log_.warning("--each " + command_.each + ": " + count_text(static_cast<std::size_t>(comm_.size()), "rank") +
                   " cannot be shared out so; some groups have more");
  }

  // Its table would be replaced by one of cases that have nothing to do with it.
  void refuse_other_sweep(const std::string& fault) const {
    if (!fault.empty())
      throw DeckError("halocline: " + directory() + " holds another sweep: " + fault +
                      "; nothing was computed. Values may be added at the end of the first --over; otherwise choose " +
                      "another directory with --set output.directory=DIR, or replace the sweep with --overwrite");
  }

  // Why the first case that is there cannot go on to its deck of today; "" where all can. The same on every rank.
  std::string fault_of_cases() {
    std::string fault;  // on all ranks of the group
    for (Index number = group_of(comm_.rank(), comm_.size(), groups_); number < cases_.size() && fault.empty();
         number += groups_)
      try {
        const LoadedDeck deck = load_deck(*group_, placed_command_of(number));
        if (finished_before(deck).empty() && holds_other_deck(deck)) checkpoints_of(*group_, deck).check("auto");
      } catch (const MachineError&) {
        continue;  // a damaged checkpoint: the case will tell
      } catch (const DeckError& error) {
        fault = "its case " + std::to_string(number + 1) + " (" + cases_.label(number) + "): " + error.what();
      }
    for (const std::string& one : comm_.gather(fault))
      if (fault.empty()) fault = one;
    comm_.broadcast(fault);
    return fault;
  }

  // Whether the directory of a case is that of a run of another deck.
  bool holds_other_deck(const LoadedDeck& deck) const {
    std::array<Index, 1> other{0};
    on_rank0(*group_, [&] {
      const std::string file = deck.shared.output.directory + "/deck.yaml";
      std::error_code error;
      other[0] = fs::exists(file, error) && !ask_for_the_same(read_text(file), deck.resolved) ? 1 : 0;
    });
    group_->broadcast(other);
    return other[0] != 0;
  }

  // With the directory of the case.
  Command placed_command_of(Index number) const {
    Command command = command_of(number);
    command.overrides.push_back("output.directory=" + yaml_text(directory() + "/" + SweepCases::folder(number)));
    return command;
  }

  // Cases until there is none, or until something stops this group.
  void work() {
    std::string word;
    for (;;) {
      std::array<Index, 1> next{HandOut::nothing}, signal{caught_signal()};
      group_->max(signal);
      // After one group was stopped, none begins another case.
      if (leads()) next[0] = hand_out_->next((signal[0] != 0 || stopped_ ? stop_mark : go_mark) + word);
      group_->broadcast(next);
      if (next[0] == HandOut::nothing) return;
      const Report report = outcome(next[0]);
      if (leads()) word = std::to_string(next[0]) + "\n" + report_text(report);
    }
  }

  // Failures end the case, not the sweep, as long as all its ranks have met them.
  Report outcome(Index number) {
    try {
      return run_one(number);
    } catch (const Error& error) {
      if (!all_arrive(*group_, patience)) throw;
      return failed(error);
    } catch (const std::bad_alloc&) {
      if (!all_arrive(*group_, patience)) throw;
      return failed(MachineError("out of memory"));
    }
  }

  Report run_one(Index number) {
    const Command command = placed_command_of(number);
    LoadedDeck deck = load_deck(*group_, command);
    deck.seat = seat_;
    if (const std::string before = finished_before(deck); !before.empty()) return parse_report(before);
    if (deck.shared.run.wall_limit > 0) {
      std::array<double, 1> left{deck.shared.run.wall_limit - seconds_since(start_)};
      group_->broadcast(left);
      if (left[0] <= 0) return not_begun(deck);
      deck.shared.run.wall_limit = left[0];
    }
    Log log(leads() && command.verbose, LogLevel::debug);
    Report report = run_case_({*group_, log, command, deck, [this] { look_around(); }, groups_ == 1});
    if (!report.stopped_by.empty()) stopped_ = true;
    return report;
  }

  Report not_begun(const LoadedDeck& deck) {
    stopped_ = true;
    Report report;
    report.unknowns = deck.plan.unknowns;
    report.stopped_by = "the wall limit";
    return report;
  }

  // The report of a case that an earlier sweep has finished; "" where it is to be run. A finished case of another deck
  // is left alone unless it has a checkpoint, which tells whether the new deck may go on from it.
  std::string finished_before(const LoadedDeck& deck) const {
    std::string text;
    if (command_.restart.empty()) return text;
    const std::string& own = deck.shared.output.directory;
    on_rank0(*group_, [&] {
      std::error_code error;
      if (!fs::exists(own + "/report.json", error) || !fs::exists(own + "/deck.yaml", error)) return;
      const std::string found = read_text(own + "/report.json", largest_report);
      const Report report = parse_report(found);
      if (!report.finished || !report.failure.empty()) return;
      if (ask_for_the_same(read_text(own + "/deck.yaml"), deck.resolved)) {
        text = found;
      } else if (!holds_checkpoint(own)) {
        throw DeckError(own + " holds the finished run of another deck; replace the sweep with --overwrite, or " +
                        "choose another directory with --set output.directory=DIR");
      }
    });
    group_->broadcast(text);
    return text;
  }

  // On rank 0: what a group says of its last case.
  void hear(const std::string& told) {
    if (told.front() == stop_mark) hand_out_->stop();
    const std::string word = told.substr(1);
    if (word.empty()) return;
    const std::size_t line = word.find('\n');
    const auto number = static_cast<Index>(std::stoll(word.substr(0, line)));
    Report report = parse_report(word.substr(line + 1));
    const std::string seconds = formatted(", {:.3g} s", report.seconds);
    std::optional<Report>& place = reports_[static_cast<std::size_t>(number)];
    place = std::move(report);
    log_.info("case " + std::to_string(number + 1) + " of " + std::to_string(cases_.size()) + " (" +
              cases_.label(number) + "): " + state_of(place) + seconds);
    if (Clock::now() - written_ < between_tables) return;
    try {
      write_tables();
    } catch (const MachineError& error) {  // the end tries again, and tells all ranks
      log_.warning(error.what());
    }
  }

  void look_around() const {
    if (comm_.rank() == 0) hand_out_->serve();
  }

  void write_tables() {
    replace_file(directory() + "/sweep.csv", sweep_csv(cases_, reports_));
    write_sweep(*alone_, directory() + "/sweep.h5", command_.deck, cases_, reports_);
    written_ = Clock::now();
  }

  // Prints the table; the exit code on every rank.
  int tell() const {
    std::array<Index, 1> code{0};
    bool whole = true;
    for (const auto& report : reports_) {
      if (report) code[0] = std::max(code[0], static_cast<Index>(report->exit_code));
      whole = whole && report && (report->finished || !report->failure.empty());
    }
    if (comm_.rank() == 0) {
      std::printf("%swritten to %s/sweep.csv and sweep.h5\n", sweep_table(cases_, reports_).c_str(),
                  directory().c_str());
      if (!whole) std::printf("stopped before the end; the same command with --restart auto goes on\n");
      std::fflush(stdout);
    }
    comm_.broadcast(code);
    return static_cast<int>(code[0]);
  }

  static constexpr char go_mark = 'g', stop_mark = 's';

  const Communicator& comm_;
  Log& log_;
  const Command& command_;
  const RunCase& run_case_;
  SweepCases cases_;
  int groups_;
  std::unique_ptr<Communicator> group_, alone_;
  JobSeat seat_;
  SweepReports reports_;  // on rank 0
  std::unique_ptr<HandOut> hand_out_;
  std::optional<DirectoryClaim> claim_;  // of the sweep's directory
  LoadedDeck first_;                     // its directory is the sweep's; the rest of it on rank 0
  bool stopped_ = false;                 // a case of this group
  Clock::time_point start_ = Clock::now(), written_ = start_ - between_tables;
};

}  // namespace

int groups_for(int ranks, Index cases, const std::string& each) {
  if (each.empty()) return static_cast<int>(std::min<Index>(ranks, cases));
  if (each == "all") return 1;
  int wanted = 0;
  const auto [end, error] = std::from_chars(each.data(), each.data() + each.size(), wanted);
  if (error != std::errc() || end != each.data() + each.size() || wanted < 1)
    throw DeckError("halocline: --each " + each + ": expected a number of ranks, or all");
  if (wanted > ranks)
    throw DeckError("halocline: --each " + each + ": there " +
                    (ranks == 1 ? "is 1 rank" : "are " + std::to_string(ranks) + " ranks"));
  return static_cast<int>(std::min<Index>(ranks / wanted, cases));
}

int run_sweep(const Communicator& comm, Log& log, const Command& command, const RunCase& run_case) {
  return Sweep(comm, log, command, run_case).run();
}

}  // namespace halocline
