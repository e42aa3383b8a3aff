#include "app/finished_run.hpp"

#include <algorithm>
#include <filesystem>

#include "io/collective.hpp"
#include "io/deck/deck.hpp"
#include "io/files.hpp"
#include "io/output/checkpoint.hpp"
#include "io/output/read_report.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {
namespace {

bool matters(const std::string& path) { return path != "run" && path != "checkpoint" && path != "output.directory"; }

// Whether two trees hold the same, `path` being where they stand.
bool same(const DeckNode& one, const DeckNode& other, const std::string& path) {
  if (one.kind != other.kind || one.text != other.text || one.items.size() != other.items.size()) return false;
  for (std::size_t n = 0; n < one.items.size(); ++n)
    if (!same(one.items[n], other.items[n], path + "[]")) return false;
  const auto below = [&](const DeckEntry& entry) { return path.empty() ? entry.key : path + "." + entry.key; };
  const auto has_all = [&](const DeckNode& all, const DeckNode& of) {
    return std::all_of(of.entries.begin(), of.entries.end(), [&](const DeckEntry& entry) {
      return !matters(below(entry)) || all.find(entry.key) != nullptr;
    });
  };
  if (!has_all(one, other) || !has_all(other, one)) return false;
  return std::all_of(one.entries.begin(), one.entries.end(), [&](const DeckEntry& entry) {
    return !matters(below(entry)) || same(entry.value, other.find(entry.key)->value, below(entry));
  });
}

bool counts_iterations(const Report& end) {
  return std::any_of(end.findings.begin(), end.findings.end(), [](const Finding& one) {
    return one.name.find("iterations") != std::string::npos || one.name.find("newton") != std::string::npos;
  });
}

// What asks for more of this run; "" where nothing does: it has no end that moves, or no state to go on from.
std::string how_to_go_on(const LoadedDeck& deck, const Report& end) {
  if (!holds_checkpoint(deck.shared.output.directory)) return "";
  const std::string family = deck.family->name;
  if (deck.family->pace == Pace::steps) {
    const Deck resolved(deck.resolved, "deck.yaml");
    if (!resolved.has(family + ".time.end")) return "raise its end";
    const bool counted = resolved.has(family + ".time.steps");
    // What is counted in steps is made for its end, or for the horizon that the deck names.
    if (!counted) return "raise " + family + ".time.end";
    if (!resolved.has(family + ".time.horizon")) return "";
    return "raise " + family + ".time.end, up to its horizon, and " + family + ".time.steps in the same ratio";
  }
  if (deck.family->pace != Pace::iterations || !counts_iterations(end)) return "";
  return end.exit_code == static_cast<int>(ExitCode::numerical) ? "raise maxit of its solver"
                                                                : "lower " + family + ".solver.tol";
}

std::string text_of(const LoadedDeck& deck, const Report& end) {
  const std::string& directory = deck.shared.output.directory;
  std::string text = directory + ": the run is finished";
  if (end.exit_code != 0) text += ", with exit code " + std::to_string(end.exit_code);
  if (!end.failure.empty()) text += " (" + end.failure + ")";
  const std::string more = how_to_go_on(deck, end);
  text += "; nothing was computed. ";
  text += more.empty() ? "There is nothing of it to go on with" : "To go on, " + more + " with --set";
  return text + "; to compute it anew, use --overwrite\n";
}

std::optional<Report> earlier_report(const std::string& directory) {
  try {
    return read_report(directory + "/report.json");
  } catch (const Error&) {
    return std::nullopt;  // there is none, or it is not ours
  }
}

}  // namespace

bool ask_for_the_same(const std::string& one, const std::string& other) {
  try {
    return same(Deck(one, "one").root(), Deck(other, "other").root(), "");
  } catch (const DeckError&) {
    return false;  // no deck any more
  }
}

std::optional<FinishedRun> find_finished_run(const Communicator& comm, const LoadedDeck& deck) {
  const std::string& directory = deck.shared.output.directory;
  Index code = -1;
  std::string text;
  on_rank0(comm, [&] {
    const auto end = earlier_report(directory);
    if (!end || !end->finished || !std::filesystem::is_regular_file(directory + "/deck.yaml")) return;
    // Something of the machine failed at the very end, as the disk under the last file: what is missing is made again.
    if (end->exit_code >= static_cast<int>(ExitCode::machine)) return;
    if (ask_for_the_same(read_text(directory + "/deck.yaml"), deck.resolved)) {
      code = end->exit_code;
      text = text_of(deck, *end);
    } else if (!holds_checkpoint(directory)) {
      throw DeckError("halocline: " + directory +
                      " holds a finished run of another deck and no checkpoint to go on from; nothing was computed. "
                      "Choose another directory with --set output.directory=DIR, or replace the run with --overwrite");
    }
  });
  comm.broadcast(std::span(&code, 1));
  if (code < 0) return std::nullopt;
  return FinishedRun{static_cast<int>(code), text};
}

}  // namespace halocline
