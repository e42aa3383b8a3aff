#include "app/finished_run.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "io/collective.hpp"
#include "io/deck/deck.hpp"
#include "io/file_checksum.hpp"
#include "io/files.hpp"
#include "io/h5/value_files.hpp"
#include "io/output/read_report.hpp"
#include "lib/base/error.hpp"
#include "lib/expression/scope.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {
namespace {

bool matters(const std::string& path) {
  return path != "run" && path != "checkpoint" && path != "output.directory" && path != "output.writers";
}

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

constexpr const char* nothing = "There is nothing of it to go on with";

std::string with_set(const std::string& what) { return "To go on, " + what + " with --set"; }

const DeckNode* node_at(const Deck& deck, std::initializer_list<std::string> keys) {
  const DeckNode* node = &deck.root();
  for (const std::string& key : keys) {
    const DeckEntry* entry = node->find(key);
    if (entry == nullptr) return nullptr;
    node = &entry->value;
  }
  return node;
}

// 0 where there is none.
double number_at(const Deck& deck, std::initializer_list<std::string> keys) {
  const DeckNode* node = node_at(deck, keys);
  std::vector<FormulaFault> faults;
  return node == nullptr ? 0 : parse_number({node->text, {}}, faults).value_or(0);
}

// What is counted in steps is made for its end, or for the horizon that the deck names.
std::string how_to_count_on(const Deck& resolved, const std::string& family) {
  const std::string end = family + ".time.end", horizon = family + ".time.horizon";
  const double known = number_at(resolved, {family, "time", "horizon"});
  if (known > number_at(resolved, {family, "time", "end"}))
    return with_set("raise " + end + ", up to its horizon, and " + family + ".time.steps in the same ratio");
  return std::string("Its history is made for ") + (known > 0 ? "its horizon, which it has reached" : "its end") +
         ", and a longer run is another problem; " + horizon + " of a run from the beginning leaves room";
}

// What asks for more of this run, or why nothing does: it has no end that moves, or no state to go on from.
std::string how_to_go_on(const LoadedDeck& deck, const Report& end) {
  if (!holds_checkpoint(deck.shared.output.directory)) return nothing;
  const std::string family = deck.family->name;
  if (deck.family->pace == Pace::steps) {
    const Deck resolved(deck.resolved, "deck.yaml");
    if (!resolved.has(family + ".time.end")) return with_set("raise its end");
    return resolved.has(family + ".time.steps") ? how_to_count_on(resolved, family)
                                                : with_set("raise " + family + ".time.end");
  }
  const std::string phases = family + ".repeat.record";
  if (Deck(deck.resolved, "deck.yaml").has(phases)) return with_set("raise " + phases);
  if (deck.family->pace != Pace::iterations || !counts_iterations(end)) return nothing;
  return with_set(end.exit_code == static_cast<int>(ExitCode::numerical) ? "raise maxit of its solver"
                                                                         : "lower " + family + ".solver.tol");
}

std::string text_of(const LoadedDeck& deck, const Report& end) {
  const std::string& directory = deck.shared.output.directory;
  std::string text = directory + ": the run is finished";
  if (end.exit_code != 0) text += ", with exit code " + std::to_string(end.exit_code);
  if (!end.failure.empty()) text += " (" + end.failure + ")";
  return text + "; nothing was computed. " + how_to_go_on(deck, end) + "; to compute it anew, use --overwrite\n";
}

// A finished run of phases goes on with more of them, not with others.
void refuse_other_phases(const std::string& before, const LoadedDeck& deck) {
  const Deck now(deck.resolved, "now");
  std::optional<Deck> read;
  try {
    read.emplace(before, "before");
  } catch (const DeckError&) {
    return;  // no deck any more
  }
  const Deck& was = *read;
  const std::string family = deck.family->name;
  const DeckNode *old_phase = node_at(was, {family, "phase"}), *new_phase = node_at(now, {family, "phase"});
  const double old_count = number_at(was, {family, "repeat", "record"}),
               new_count = number_at(now, {family, "repeat", "record"});
  if (old_phase == nullptr || new_phase == nullptr || old_count == 0) return;
  const bool others = !same(*old_phase, *new_phase, "") || number_at(was, {family, "repeat", "transient"}) !=
                                                               number_at(now, {family, "repeat", "transient"});
  if (!others && new_count >= old_count) return;
  throw DeckError(
      "halocline: " + deck.shared.output.directory + " holds a finished run " +
      (others ? "with other phases" : "of more phases") +
      "; nothing was computed. A finished run goes on with further phases alone (" + family + ".repeat.record above " +
      std::to_string(static_cast<long long>(old_count)) + "), since what a system does within a phase depends on " +
      "how long it is; otherwise choose another directory with --set output.directory=DIR, or replace the run " +
      "with --overwrite");
}

std::optional<Report> earlier_report(const std::string& directory) {
  try {
    return read_report(directory + "/report.json");
  } catch (const Error&) {
    return std::nullopt;  // there is none, or it is not ours
  }
}

// With what is in the files that the deck names. Collective.
CheckpointIdentity identity_of(const Communicator& comm, const LoadedDeck& deck) {
  const Plan& plan = deck.plan;
  Fingerprint keys = deck.keys;
  for (auto& [path, value] : keys.keys)
    if (!value.file.empty() && !value.may_change) value.text = contents_text(comm, value.file);
  return {deck.family->name,
          plan.shape.empty() ? std::to_string(plan.unknowns) + " unknowns" : plan.shape,
          HALOCLINE_VERSION,
          deck.resolved,
          plan.formulas,
          keys,
          deck.family->pace == Pace::steps ? plan.end : std::numeric_limits<double>::infinity()};
}

}  // namespace

Checkpoints checkpoints_of(const Writers& writers, const LoadedDeck& deck) {
  // A dataset of HDF5 names so many files.
  const bool fewer = deck.shared.checkpoint.files == CheckpointFiles::writers && writers.count() > ValueFiles::most;
  return {fewer ? Writers(writers.comm(), {WriterChoice::Kind::number, ValueFiles::most}) : writers,
          deck.shared.output.directory, static_cast<int>(deck.shared.checkpoint.keep),
          identity_of(writers.comm(), deck), deck.shared.checkpoint.files};
}

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
      return;
    }
    refuse_other_phases(read_text(directory + "/deck.yaml"), deck);
    if (!holds_checkpoint(directory)) {
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
