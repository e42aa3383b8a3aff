#include "app/study.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

#include "app/run/driver.hpp"
#include "app/run/launcher.hpp"
#include "app/run/memory.hpp"
#include "app/run/own_files.hpp"
#include "app/run/session.hpp"
#include "app/self_convergence.hpp"
#include "io/collective.hpp"
#include "io/files.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

constexpr const char* kinds[] = {"max_error", "rms_error", "max_change", "rms_change"};

bool is_error(const std::string& name) { return name.starts_with("max_error") || name.starts_with("rms_error"); }

// The text of a value, or a dash where there is none.
std::string cell(double value, const std::string& text) { return std::isnan(value) ? "-" : text; }

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? " " + text : std::string(width - text.size(), ' ') + text;
}

// Costs of every grid, and the errors whose numbers are given.
std::string error_table(const std::vector<StudyRow>& rows, const std::vector<std::size_t>& shown) {
  std::string text = right("refined", 8) + right("unknowns", 12) + right("iterations", 12) + right("seconds", 9);
  for (const std::size_t e : shown) text += right(rows.front().errors[e].first, 16) + right("order", 7);
  text += "\n";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const StudyRow& row = rows[k];
    text += right(std::to_string(row.factor), 8) + right(std::to_string(row.unknowns), 12);
    text += right(cell(row.iterations, formatted("{:.0f}", row.iterations)), 12) +
            right(cell(row.seconds, formatted("{:.3g}", row.seconds)), 9);
    for (const std::size_t e : shown) {
      const double error = row.errors[e].second, order = observed_order(rows, k, e);
      text += right(cell(error, formatted("{:.3e}", error)), 16) + right(cell(order, formatted("{:.2f}", order)), 7);
    }
    text += "\n";
  }
  return text;
}

StudyRow row_of(int factor, const LoadedDeck& deck, const RunResult& result) {
  StudyRow row{factor, deck.plan.unknowns, unknown, result.solve_seconds, {}};
  for (const Finding& finding : result.findings.list) {
    if (finding.name == "iterations") row.iterations = finding.value;
    if (is_error(finding.name)) row.errors.emplace_back(finding.name, finding.value);
  }
  return row;
}

}  // namespace

double observed_order(const std::vector<StudyRow>& rows, std::size_t k, std::size_t error) {
  if (k == 0 || error >= rows[k].errors.size() || error >= rows[k - 1].errors.size()) return unknown;
  return std::log2(rows[k - 1].errors[error].second / rows[k].errors[error].second);
}

std::string study_table(const std::vector<StudyRow>& rows) {
  std::string text;
  for (const char* kind : kinds) {
    std::vector<std::size_t> shown;
    for (std::size_t e = 0; !rows.empty() && e < rows.front().errors.size(); ++e) {
      if (rows.front().errors[e].first.starts_with(kind)) shown.push_back(e);
    }
    if (!shown.empty()) text += (text.empty() ? "" : "\n") + error_table(rows, shown);
  }
  return text.empty() ? error_table(rows, {}) : text;
}

std::string estimated_errors(const std::vector<StudyRow>& rows) {
  if (rows.size() < 3) return "";
  std::string text;
  const std::size_t last = rows.size() - 1;
  for (std::size_t e = 0; e < rows[last].errors.size(); ++e) {
    const auto& [name, change] = rows[last].errors[e];
    const double order = observed_order(rows, last, e);
    if (!name.starts_with("max_change.") || !(order > 0) || std::isinf(order)) continue;
    text += (text.empty() ? "" : ", ") + name.substr(std::string("max_change.").size()) + " " +
            formatted("{:.1e}", change / (std::exp2(order) - 1));
  }
  return text;
}

std::string study_csv(const std::vector<StudyRow>& rows) {
  std::string text = "refined,unknowns,iterations,seconds";
  if (rows.empty()) return text + "\n";
  for (const auto& [name, value] : rows.front().errors) text += "," + name + ",order of " + name;
  text += "\n";
  // An empty cell where there is no number, as spreadsheets and pandas read it.
  const auto number = [](double value) { return std::isnan(value) ? "" : exact_text(value); };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const StudyRow& row = rows[k];
    text += std::to_string(row.factor) + "," + std::to_string(row.unknowns) + "," + number(row.iterations) + "," +
            number(row.seconds);
    for (std::size_t e = 0; e < row.errors.size(); ++e)
      text += "," + number(row.errors[e].second) + "," + number(observed_order(rows, k, e));
    text += "\n";
  }
  return text;
}

namespace {

// What is to be known of orders that no exact solution stands behind.
std::string self_convergence_text(const std::vector<StudyRow>& rows, const SelfConvergence& changes) {
  if (rows.empty() || (!rows.front().errors.empty() && is_error(rows.front().errors.front().first))) return "";
  const std::string none = "no exact solution under verify: ";
  if (changes.points() == 0) return none + "no errors, and no fields on a grid whose changes would give an order\n";
  std::string text = none + "changes from grid to grid at " + std::to_string(changes.points()) +
                     " points, of which the orders are "
                     "estimates (self-convergence)\n";
  if (!changes.at_nodes()) text += "values in cells are interpolated linearly there: orders beyond 2 do not show\n";
  if (rows.size() < 3) return text + "an estimate takes three grids: --refine 3\n";
  const std::string errors = estimated_errors(rows);
  if (!errors.empty()) text += "estimated error of the finest grid, at most: " + errors + "\n";
  return text;
}

}  // namespace

int run_study(const Communicator& comm, Log& log, const Command& command) {
  std::vector<StudyRow> rows;
  std::string failure, stopped_by;
  std::string directory;
  std::optional<DirectoryClaim> claim;
  SelfConvergence changes;
  // What the finest grid lacks is said before computing.
  if (command.refine > 1) check_host_memory(comm, load_deck(comm, command, 1 << (command.refine - 1), "_study"));
  for (Index grid = 0; grid < command.refine && failure.empty() && stopped_by.empty(); ++grid) {
    const int factor = 1 << grid;
    const LoadedDeck deck = load_deck(comm, command, factor, "_study");
    directory = deck.shared.output.directory;
    if (grid == 0) claim.emplace(comm, log, deck, command);
    const Session session(comm, log, deck, false, &*claim);
    const auto problem = session.make_problem(deck);
    if (grid == 0) prepare_directory(comm, deck, command, claim->lock());
    Progress progress(log, comm.rank() == 0, stderr_is_terminal());
    const RunResult result = Driver(session.context(), deck.shared, nullptr, nullptr, progress).run(*problem, "");
    stopped_by = result.stopped_by;
    failure = result.findings.failure;
    if (stopped_by.empty()) {
      rows.push_back(row_of(factor, deck, result));
      if (rows.back().errors.empty())
        rows.back().errors = changes.add(session.context(), deck, *problem, result.step.t);
    }
    on_rank0(comm, [&] { replace_file(directory + "/study.csv", study_csv(rows)); });
    log.info("grid " + std::to_string(grid + 1) + " of " + std::to_string(command.refine) + ": " +
             std::to_string(deck.plan.unknowns) + " unknowns, " + formatted("{:.3g}", result.solve_seconds) + " s");
  }
  if (comm.rank() == 0) {
    list_own_files(directory);
    std::printf("%s%s", study_table(rows).c_str(), self_convergence_text(rows, changes).c_str());
    if (!failure.empty()) std::printf("NOT CONVERGED: %s\n", failure.c_str());
    if (!stopped_by.empty()) std::printf("stopped by %s\n", stopped_by.c_str());
    std::printf("written to %s/study.csv\n", directory.c_str());
  }
  return static_cast<int>(failure.empty() ? ExitCode::ok : ExitCode::numerical);
}

}  // namespace halocline
