#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <vector>

#include "app/run/launcher.hpp"
#include "app/run/own_files.hpp"
#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/manifest.hpp"
#include "io/output/checkpoint.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

// `keep`: files to leave, a checkpoint to restart from, say. The deck goes last: while it is there the directory counts
// as a run.
void remove_own_files(const std::string& directory, std::initializer_list<std::string> keep) {
  const auto kept = [&](const std::string& file) {
    std::error_code error;
    return std::any_of(keep.begin(), keep.end(),
                       [&](const std::string& one) { return !one.empty() && fs::equivalent(file, one, error); });
  };
  const Manifest manifest(directory);
  for (const std::string& name : manifest.own_files()) {
    const std::string file = directory + "/" + name;
    if (name != "deck.yaml" && !kept(file)) remove_file(file);
  }
  std::error_code not_empty;
  if (fs::is_directory(fs::symlink_status(directory + "/images", not_empty)))
    fs::remove(directory + "/images", not_empty);
  if (manifest.owns("deck.yaml")) remove_file(directory + "/deck.yaml");
}

// What a run that was killed has not finished.
void remove_unfinished(const std::string& directory) {
  for (const std::string& name : Manifest(directory).own_files())
    if (name.ends_with(".tmp")) remove_file(directory + "/" + name);
}

// A log of the run that goes on keeps its text under a name of its own.
void keep_log(const std::string& directory) {
  if (!fs::exists(directory + "/run.log")) return;
  int number = 1;
  const auto name = [&] { return directory + "/run_" + std::to_string(number) + ".log"; };
  while (fs::exists(fs::symlink_status(name()))) ++number;
  rename_file(directory + "/run.log", name(), false);
}

void make_directory(const std::string& directory) {
  std::error_code error;
  std::vector<fs::path> made;  // from below
  for (fs::path one = fs::absolute(directory).lexically_normal(); !fs::exists(one, error); one = one.parent_path())
    made.push_back(one);
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory, error)) {
    const std::string reason = error ? error.message() : "it is no directory";
    throw MachineError("cannot make the output directory " + directory + ": " + reason);
  }
  for (const fs::path& one : made) put_on_disk(one.parent_path().string());
}

}  // namespace

void remove_run(const std::string& directory) {
  if (!fs::exists(directory + "/deck.yaml")) return;
  remove_own_files(directory, {});
  if (list_files(directory, "", "") == std::vector<std::string>{Manifest::file_name}) Manifest(directory).remove();
  std::error_code not_empty;
  fs::remove(directory, not_empty);
}

std::string field_of_pictures(const LoadedDeck& deck) {
  const OutputOptions& output = deck.shared.output;
  return output.images.given() ? output.known_fields[static_cast<std::size_t>(output.images.field)] : "";
}

namespace {

void refuse_earlier_run(const std::string& directory, const Command& command) {
  if (command.overwrite || !command.restart.empty()) return;
  std::error_code error;  // a directory that cannot be looked into is a matter of prepare_directory()
  if (!fs::exists(directory + "/deck.yaml", error)) return;
  std::string text = "halocline: " + directory + " holds a run already; nothing was computed. Choose another " +
                     "directory with --set output.directory=DIR";
  text += command.action == Action::study ? " or replace the run with --overwrite"
                                          : ", replace the run with --overwrite, or continue it with --restart auto";
  throw DeckError(text);
}

void refuse_files_in_the_way(const LoadedDeck& deck, const Command& command) {
  const std::string& directory = deck.shared.output.directory;
  std::error_code error;
  if (!fs::is_directory(directory, error)) return;  // a matter of prepare_directory()
  const std::string name = Manifest(directory).in_the_way(field_of_pictures(deck), command.action != Action::run);
  if (name.empty() || fs::equivalent(directory + "/" + name, deck.file, error)) return;  // which it refuses too
  if (fs::exists(directory + "/deck.yaml", error) && !fs::exists(directory + "/" + Manifest::file_name, error))
    throw MachineError(directory + " has no " + Manifest::file_name +
                       ", by which halocline knows the files that it may " +
                       "replace: an older version has written this run, or something else; nothing was computed. " +
                       "Move or remove the directory yourself, or choose another one with --set output.directory=DIR");
  throw MachineError(directory + "/" + name + " is in the way: halocline has not written it (" + directory + "/" +
                     Manifest::file_name + " names what it has); nothing was computed. Move it, or choose another " +
                     "directory with --set output.directory=DIR");
}

}  // namespace

DirectoryClaim::DirectoryClaim(const Communicator& comm, Log& log, const LoadedDeck& deck, const Command& command)
    : lock_(log, deck.shared.output.directory) {
  if (comm.rank() != 0) return;
  try {
    lock_.take_if_there();
    refuse_earlier_run(deck.shared.output.directory, command);
    refuse_files_in_the_way(deck, command);
  } catch (...) {
    against_ = std::current_exception();
  }
}

void DirectoryClaim::require() const {
  if (against_) std::rethrow_exception(against_);
}

void DirectoryClaim::settle(const Communicator& comm) const {
  on_all_ranks(comm, [this] { require(); });
}

void list_own_files(const std::string& directory) {
  try {
    Manifest(directory).close();
  } catch (const MachineError&) {
  }
}

void prepare_directory(const Communicator& comm, const LoadedDeck& deck, const Command& command, DirectoryLock& lock) {
  const std::string& directory = deck.shared.output.directory;
  on_rank0(comm, [&] {
    make_directory(directory);
    lock.take();
    const std::string resolved = directory + "/deck.yaml";
    std::error_code error;
    if (fs::equivalent(resolved, deck.file, error))
      throw DeckError(
          "halocline: the output directory " + directory + " holds the input deck itself as deck.yaml, " +
          "which the run writes; nothing was computed. Choose another directory with --set output.directory=DIR");
    const bool has_source = command.restart == "auto" ? holds_checkpoint(directory) : !command.restart.empty();
    const bool of_sweep = deck.seat.has_value() || (has_source && Manifest(directory).is_case());
    remove_unfinished(directory);
    if (has_source) {
      keep_log(directory);
      remove_file(directory + "/report.json");
    } else {
      remove_own_files(directory, {command.restart, deck.file});
    }
    Manifest(directory).open(field_of_pictures(deck), command.action != Action::run, of_sweep);
    if (!has_source && !create_file(resolved, deck.resolved)) {
      throw DeckError("halocline: another run has just begun in " + directory + "; nothing was computed");
    }
    replace_file(resolved, deck.resolved);
  });
}

}  // namespace halocline
