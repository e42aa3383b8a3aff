#include "app/run/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/run/memory.hpp"
#include "io/whereabouts.hpp"
#include "lib/base/format.hpp"
#include "mpi/exchange.hpp"

namespace halocline {
namespace {

std::string row(const std::string& name, const std::string& text) { return formatted("  {:<24} {}\n", name, text); }

// What of a phase a rank has waited for others: for values of neighbors, and for sums.
double waited(const Timers& timers, const std::string& path) {
  double seconds = 0;
  for (const Timers::Entry& entry : timers.entries()) {
    const bool waits = entry.path.ends_with("/halo wait") || entry.path.ends_with("/sums");
    if (entry.fine && waits && entry.path.starts_with(path + "/")) seconds += entry.seconds;
  }
  return seconds;
}

// What rank 0 has timed, over all ranks.
std::vector<Report::Timer> reduce_timers(const Communicator& comm, const Timers& timers) {
  std::string paths;
  for (const Timers::Entry& entry : timers.entries())
    if (!entry.fine) paths += entry.path + '\n';
  comm.broadcast(paths);
  std::vector<Report::Timer> reduced;
  std::vector<double> all, own;
  for (std::size_t start = 0; start < paths.size();) {
    const std::size_t end = paths.find('\n', start);
    Report::Timer timer;
    timer.path = paths.substr(start, end - start);
    start = end + 1;
    for (const Timers::Entry& entry : timers.entries())
      if (entry.path == timer.path) timer.calls = entry.calls;
    all.push_back(timers.seconds(timer.path));
    own.push_back(std::max(0.0, all.back() - waited(timers, timer.path)));
    reduced.push_back(timer);
  }
  std::vector<double> least = all, most = all, longest = own;
  comm.min(least);
  comm.max(most);
  comm.max(longest);
  std::vector<Index> last, sums;  // ranks; of nanoseconds
  for (std::size_t n = 0; n < own.size(); ++n) {
    last.push_back(own[n] == longest[n] ? comm.rank() : -1);
    sums.insert(sums.end(), {std::llround(1e9 * all[n]), std::llround(1e9 * own[n])});
  }
  comm.max(std::span<Index>(last));
  comm.sum(std::span<Index>(sums));
  for (std::size_t n = 0; n < own.size(); ++n) {
    Report::Timer& timer = reduced[n];
    timer.min = least[n], timer.max = most[n];
    timer.mean = std::clamp(1e-9 * static_cast<double>(sums[2 * n]) / comm.size(), least[n], most[n]);
    if (comm.size() == 1) continue;
    timer.own_max = longest[n], timer.own_most = static_cast<int>(last[n]);
    timer.own_mean = std::min(1e-9 * static_cast<double>(sums[2 * n + 1]) / comm.size(), longest[n]);
  }
  return reduced;
}

// The rank that others have waited for most, where that is more than the noise of a machine. Collective.
std::optional<Report::SlowRank> find_slow_rank(const Communicator& comm, const std::vector<Report::Timer>& timers,
                                               double seconds) {
  constexpr double much_longer = 1.5, least_share = 0.05, least_seconds = 0.5;
  Report::SlowRank slow;
  double longest = std::max(least_seconds, least_share * seconds);
  for (const Report::Timer& timer : timers) {
    const double others = (timer.own_mean * comm.size() - timer.own_max) / std::max(1, comm.size() - 1);
    const bool inner = timer.path.starts_with(slow.path + "/");  // a part that explains all of it says more
    if (timer.own_max < much_longer * others || timer.own_max - others < (inner ? 0.9 : 1) * longest) continue;
    slow = {timer.own_most, "", timer.path, timer.own_max / std::max(others, 0.01 * timer.own_max)};
    longest = timer.own_max - others;
  }
  std::array<double, 1> found{slow.path.empty() ? -1.0 : slow.rank};
  comm.broadcast(found);
  if (found[0] < 0) return std::nullopt;
  slow.host = host_name();
  comm.broadcast(slow.host, static_cast<int>(found[0]));
  return slow;
}

std::string sent_text(const Report& report) {
  Traffic most;
  for (const Traffic& rank : report.sent) {
    most.messages = std::max(most.messages, rank.messages);
    most.bytes = std::max(most.bytes, rank.bytes);
  }
  if (most.messages == 0) return "none";
  return std::to_string(most.messages) + " messages, " + bytes_text(static_cast<double>(most.bytes)) +
         " per rank at most";
}

std::string state_text(const Report& report) {
  if (!report.failure.empty()) return "NOT CONVERGED: " + report.failure;
  if (!report.finished)
    return "stopped by " + report.stopped_by + (report.reached.empty() ? "" : " at " + report.reached) +
           ", before the end";
  const bool all_hold = std::all_of(report.findings.begin(), report.findings.end(),
                                    [](const Finding& finding) { return finding.holds() || !finding.checked(); });
  return all_hold ? "finished" : "finished, VERIFICATION FAILED";
}

// Every scope behind the one around it, in the order in which they were first opened.
std::vector<Report::Timer> in_order_of_the_tree(const std::vector<Report::Timer>& timers) {
  std::vector<Report::Timer> ordered;
  for (const Report::Timer& timer : timers) {
    const std::size_t slash = timer.path.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : timer.path.substr(0, slash);
    const auto within = [&](const Report::Timer& other) {
      return other.path == parent || other.path.starts_with(parent + "/");
    };
    const auto last = parent.empty() ? ordered.rend() : std::find_if(ordered.rbegin(), ordered.rend(), within);
    ordered.insert(last == ordered.rend() ? ordered.end() : last.base(), timer);
  }
  return ordered;
}

// Set-up and solve, and other phases that took at least a hundredth of the time; a part of a phase that is nearly all
// of it says nothing new.
std::string timer_rows(const Report& report) {
  std::string text;
  const auto seconds_of = [&](const std::string& path) {
    for (const Report::Timer& timer : report.timers) {
      if (timer.path == path) return timer.max;
    }
    return report.seconds;
  };
  for (const Report::Timer& timer : in_order_of_the_tree(report.timers)) {
    const std::size_t slash = timer.path.rfind('/');
    const bool inner = slash != std::string::npos;
    if (timer.max < 0.01 * report.seconds && timer.path != "set-up" && timer.path != "solve") continue;
    if (inner && timer.max > 0.95 * seconds_of(timer.path.substr(0, slash))) continue;
    const auto depth = static_cast<std::size_t>(std::count(timer.path.begin(), timer.path.end(), '/'));
    const std::string name = std::string(2 * depth + 2, ' ') + (inner ? timer.path.substr(slash + 1) : timer.path);
    text += row(name, formatted("{:.3g} s", timer.max));
  }
  return text;
}

std::string files_text(const std::string& directory) {
  namespace fs = std::filesystem;
  std::string text = row("files", directory + "/");
  if (fs::exists(directory + "/fields.xdmf"))
    text += row("open with", "paraview " + shell_word(directory + "/fields.xdmf"));
  if (fs::exists(directory + "/tables.h5")) text += row("tables", "h5dump -n " + shell_word(directory + "/tables.h5"));
  return text;
}

}  // namespace

std::string count_text(std::size_t count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string bytes_text(double bytes) {
  static constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) bytes /= 1000, ++unit;
  return formatted("{:.3g} {}", bytes, units[unit]);
}

std::string value_text(double value) { return brief_text(value); }

std::vector<std::pair<std::string, std::string>> build_facts() {
  return {{"version", HALOCLINE_VERSION}, {"compiler", "g++ " __VERSION__}, {"build_type", HALOCLINE_BUILD_TYPE}};
}

std::string limits_text(const Finding& finding) {
  if (std::isinf(finding.low) || (finding.low == 0 && std::isfinite(finding.high)))
    return "<= " + value_text(finding.high);
  if (std::isinf(finding.high)) return ">= " + value_text(finding.low);
  return "in [" + value_text(finding.low) + ", " + value_text(finding.high) + "]";
}

Report begin_report(const Context& context, const LoadedDeck& deck) {
  Report report;
  report.provenance = build_facts();
  report.provenance.emplace_back("host", host_name());
  report.provenance.emplace_back("deck", deck.file);
  report.provenance.emplace_back("problem", deck.family->name);
  report.ranks = context.comm.size();
  report.parts = context.team.total_parts();
  report.devices = device_map(context.comm, context.team, context.shape);
  report.unknowns = deck.plan.unknowns;
  report.size = deck.plan.shape;
  report.started = utc_now();
  return report;
}

ExitCode exit_code_of(const RunResult& result) {
  if (!result.findings.failure.empty()) return ExitCode::numerical;
  for (const Finding& finding : result.findings.list) {
    if (finding.checked() && !finding.holds()) return ExitCode::verification;
  }
  return ExitCode::ok;
}

void complete_report(const Context& context, const RunResult& result, const Traffic& sent, Report& report) {
  report.seconds = result.seconds;
  report.seconds_of_setup = context.timers.seconds("set-up");
  report.seconds_of_solve = result.solve_seconds;
  report.seconds_of_earlier_runs = result.earlier_seconds;
  report.time = result.step.t;
  report.finished = result.finished;
  report.converged = result.finished && result.findings.failure.empty();
  report.stopped_by = result.stopped_by;
  report.failure = result.findings.failure;
  report.exit_code = static_cast<int>(exit_code_of(result));
  report.findings = result.findings.list;
  report.timers = reduce_timers(context.comm, context.timers);
  report.slow_rank = find_slow_rank(context.comm, report.timers, report.seconds);
  report.sent = gather_lists(context.comm, std::vector<Traffic>{sent}).values;
}

std::string result_table(const Report& report, const std::string& directory) {
  std::string text = "\n" + row("result", state_text(report));
  for (const Finding& finding : report.findings) {
    const std::string unit = finding.unit == "1" ? "" : " " + finding.unit;
    // A figure that is missing has words in place of a unit.
    const bool missing = std::isnan(finding.value) && !finding.checked() && !unit.empty();
    const std::string value = missing ? finding.unit : value_text(finding.value) + unit;
    text += !finding.checked() ? row(finding.name, value)
                               : formatted("  {:<24} {:<16} {:<22}{}\n", finding.name, value, limits_text(finding),
                                           finding.holds() ? "  ok" : "  FAILED");
  }
  text += row("unknowns", std::to_string(report.unknowns) + (report.size.empty() ? "" : ": " + report.size));
  text += row("layout", count_text(static_cast<std::size_t>(report.ranks), "rank") + ", " +
                            count_text(static_cast<std::size_t>(report.parts), "part"));
  text += row("sent", sent_text(report));
  text += row("time", formatted("{:.3g} s", report.seconds));
  text += timer_rows(report);
  if (const auto& slow = report.slow_rank)
    text += row("slow rank", formatted("rank {} (host {}) took {:.3g} x the time of the others in `{}`", slow->rank,
                                       slow->host, slow->times, slow->path));
  text += files_text(directory);
  return report.going_on.empty() ? text : text + row("go on with", report.going_on);
}

namespace {

std::string beside_text(const LoadedDeck& deck, double bytes) {
  const double under_way = bytes_of_outputs(deck);
  return bytes_text(bytes) + " per rank beside its parts" +
         (under_way == 0
              ? ""
              : ", of them " + bytes_text(under_way) + " for " +
                    count_text(static_cast<std::size_t>(deck.shared.output.on_the_way()), "output") + " under way");
}

}  // namespace

std::string plan_table(const LoadedDeck& deck, int ranks) {
  const Plan& plan = deck.plan;
  std::string text = deck.file + ": no faults\n";
  text += row("problem", std::string(deck.family->name) + ": " + deck.family->summary);
  text += row("layout", count_text(static_cast<std::size_t>(ranks), "rank") + ", " +
                            count_text(deck.shape.weights.size(), "part"));
  text += row("unknowns", std::to_string(plan.unknowns) + (plan.shape.empty() ? "" : ": " + plan.shape));
  text += row("memory", bytes_text(static_cast<double>(plan.bytes_per_part)) + " per part at most");
  if (const double bytes = bytes_beside_parts(deck); bytes > 0) text += row("on the host", beside_text(deck, bytes));
  text += row("messages", bytes_text(static_cast<double>(plan.message_bytes)) + " per part and step or iteration");
  text += row("work", value_text(plan.work) + " floating-point operations per step or iteration");
  if (plan.traffic > 0) text += row("traffic", bytes_text(plan.traffic) + " per part and step or iteration");
  if (plan.steps > 0) text += row("steps", value_text(plan.steps));
  if (plan.checkpoint_bytes > 0) text += row("checkpoint", bytes_text(plan.checkpoint_bytes) + " at most");
  for (const std::string& note : plan.notes) text += row("note", note);
  return text + row("output", deck.shared.output.directory + "/");
}

}  // namespace halocline
