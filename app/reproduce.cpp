#include "app/reproduce.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "app/comparison.hpp"
#include "app/run/driver.hpp"
#include "app/run/launcher.hpp"
#include "app/run/memory.hpp"
#include "app/run/session.hpp"
#include "gpu/devices.hpp"
#include "io/files.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double known_or_not(double published) { return published == 0 ? unknown : published; }

std::string number(double value) {
  if (std::isnan(value)) return "-";
  if (value == std::round(value) && std::abs(value) < 1e6) return formatted("{:.0f}", value);
  return formatted("{:.3g}", value);
}

// Rank 0 reads and finds; the others get the same text, or the same fault.
Comparison shared_comparison(const Communicator& comm, const std::string& name, std::string& file) {
  std::string text, fault;
  if (comm.rank() == 0) {
    try {
      file = find_comparison(name);
      text = read_text(file, std::size_t{1} << 20);
    } catch (const Error& error) {
      fault = error.what();
    }
  }
  comm.broadcast(fault);
  if (!fault.empty()) throw DeckError(fault);
  comm.broadcast(file);
  comm.broadcast(text);
  return read_comparison(text, file);
}

double value_of(const RunResult& result, const std::string& quantity) {
  if (quantity == "seconds") return result.solve_seconds;
  for (const Finding& finding : result.findings.list)
    if (finding.name == quantity) return finding.value;
  return unknown;
}

// Prints on rank 0 at once, since a case may take long.
void print(const Communicator& comm, const std::string& text) {
  if (comm.rank() != 0) return;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::string header(const ComparisonTable& table) {
  std::string first = "| case |", second = "|---|";
  if (!table.variants.blocks.empty()) first += " run |", second += "---|";
  for (const std::string& quantity : table.quantities) {
    first += " " + quantity + ": published | ours | ratio |";
    second += "---|---|---|";
  }
  return "\n**" + table.title + "**\n\n" + first + "\n" + second + "\n";
}

class Runs {
 public:
  Runs(const Communicator& comm, Log& log, const Command& command, std::string folder)
      : comm_(comm), log_(log), command_(command), folder_(std::move(folder)) {}

  bool all_converged() const { return all_converged_; }
  const std::string& stopped_by() const { return stopped_by_; }
  bool left_out() const { return left_out_; }  // a case, for want of a GPU

  void table(const ComparisonTable& table) {
    std::vector<std::pair<const CaseOptions*, const VariantOptions*>> chosen;
    const auto choose = [&](const CaseOptions& one, const VariantOptions* variant) {
      if (label_of(one, variant).find(command_.match) != std::string::npos) chosen.emplace_back(&one, variant);
    };
    for (const CaseOptions& one : table.cases.blocks) {
      if (table.variants.blocks.empty()) choose(one, nullptr);
      for (const VariantOptions& variant : table.variants.blocks) choose(one, &variant);
    }
    if (chosen.empty()) return;
    print(comm_, header(table));
    for (const auto& [one, variant] : chosen) row(table, *one, variant);
    if (!notes_.empty()) print(comm_, "\n" + notes_);
    notes_.clear();
  }

 private:
  static std::string label_of(const CaseOptions& one, const VariantOptions* variant) {
    return one.label + (variant ? ", " + variant->label : "");
  }

  // Threads of a variant are those of every rank.
  std::string on_ranks() const {
    return comm_.size() > 1 ? " on each of " + std::to_string(comm_.size()) + " ranks" : "";
  }

  void row(const ComparisonTable& table, const CaseOptions& one, const VariantOptions* variant) {
    if (!stopped_by_.empty()) return;
    Command command = command_;
    command.deck = (std::filesystem::path(folder_) / table.deck).string();
    command.deck_text.clear();
    command.overrides = table.set;
    command.overrides.insert(command.overrides.end(), one.set.begin(), one.set.end());
    if (variant) command.overrides.insert(command.overrides.end(), variant->set.begin(), variant->set.end());
    command.overrides.insert(command.overrides.end(), command_.overrides.begin(), command_.overrides.end());
    const LoadedDeck deck = load_deck(comm_, command);
    if (lacks_gpu(deck)) {
      left_out_ = true;
      return print(comm_, row_text(table, one, variant, nullptr));
    }
    const RunResult result = run(deck, table.profile);
    if (!result.stopped_by.empty()) {
      stopped_by_ = result.stopped_by;
      return;
    }
    print(comm_, row_text(table, one, variant, &result));
    const std::string& failure = result.findings.failure;
    if (failure.empty()) return;
    all_converged_ = false;
    notes_ += label_of(one, variant) + ": " + failure + "\n";
  }

  // Whether the deck wants a GPU by name and some rank has none.
  bool lacks_gpu(const LoadedDeck& deck) const {
    return !comm_.agree(!names_gpu(deck.shared.run.devices) || cuda_device_count() > 0);
  }

  // Without a result: of a case that was left out.
  std::string row_text(const ComparisonTable& table, const CaseOptions& one, const VariantOptions* variant,
                       const RunResult* result) const {
    std::string text = "| " + one.label + " |";
    if (variant) text += " " + variant->label + on_ranks() + " |";
    for (std::size_t q = 0; q < table.quantities.size(); ++q) {
      const double published = q < one.published.size() ? one.published[q] : 0;
      text += " ";
      text += result ? comparison_cells(published, value_of(*result, table.quantities[q])) : left_out_cells(published);
      text += " |";
    }
    return text + "\n";
  }

  RunResult run(const LoadedDeck& deck, bool profiled) const {
    const Session session(comm_, log_, deck, profiled);
    const auto problem = session.make_problem(deck);
    Progress progress(log_, comm_.rank() == 0, stderr_is_terminal());
    return Driver(session.context(), deck.shared, nullptr, nullptr, progress).run(*problem, "");
  }

  const Communicator& comm_;
  Log& log_;
  const Command& command_;
  std::string folder_;
  bool all_converged_ = true;
  std::string notes_;  // on the cases of the table that did not converge
  std::string stopped_by_;
  bool left_out_ = false;
};

}  // namespace

std::string comparison_cells(double published, double ours) {
  const double known = known_or_not(published);
  return number(known) + " | " + number(ours) + " | " + number(ours / known);
}

std::string left_out_cells(double published) { return number(known_or_not(published)) + " | no GPU | -"; }

int run_reproduce(const Communicator& comm, Log& log, const Command& command) {
  std::string file;
  const Comparison comparison = shared_comparison(comm, command.deck, file);
  Runs runs(comm, log, command, std::filesystem::path(file).parent_path().string());
  print(comm, comparison.title + "\n");
  for (const ComparisonTable& table : comparison.tables.blocks) runs.table(table);
  if (!runs.stopped_by().empty()) print(comm, "stopped by " + runs.stopped_by() + "\n");
  if (runs.left_out())
    print(comm, "\nno GPU: " + (cuda_device_count() > 0 ? "not on all ranks" : why_no_cuda()) + "\n");
  return static_cast<int>(runs.all_converged() ? ExitCode::ok : ExitCode::numerical);
}

}  // namespace halocline
