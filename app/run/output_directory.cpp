#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <regex>

#include "app/run/launcher.hpp"
#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/output/checkpoint.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

// Names of the files that halocline writes into an output directory, and of their unfinished forms.
const std::regex& own_file() {
  static const std::regex names(
      "(fields_\\d{4,}\\.(vtk)?hdf|fields_grid(_\\d{4,})?\\.h5|fields\\.(vtk)?hdf\\.series|fields\\.xdmf|tables\\.h5|"
      "checkpoint_\\d{4,}\\.h5|run(_\\d+)?\\.log|report\\.(json|html)|plot_\\w+\\.png|runlog\\.csv|diffusion\\.\\d{7,}"
      "\\.(png|csv)|study\\.csv|sweep\\.(csv|h5|xdmf)|deck\\.yaml|"
      "images/\\w+_\\d{4,}\\.png|images/\\w+\\.csv)(\\.tmp)?");
  return names;
}

// Those that are there, by their names within the directory.
std::vector<std::string> own_files(const std::string& directory) {
  std::vector<std::string> names = list_files(directory, "", "");
  for (const std::string& name : list_files(directory + "/images", "", "")) names.push_back("images/" + name);
  std::erase_if(names, [](const std::string& name) { return !std::regex_match(name, own_file()); });
  return names;
}

// `keep`: files to leave, a checkpoint to restart from, say. The deck goes last: while it is there the directory counts
// as a run.
void remove_own_files(const std::string& directory, std::initializer_list<std::string> keep) {
  const auto kept = [&](const std::string& file) {
    std::error_code error;
    return std::any_of(keep.begin(), keep.end(),
                       [&](const std::string& one) { return !one.empty() && fs::equivalent(file, one, error); });
  };
  for (const std::string& name : own_files(directory)) {
    const std::string file = directory + "/" + name;
    if (name != "deck.yaml" && !kept(file)) remove_file(file);
  }
  std::error_code not_empty;
  if (fs::is_directory(directory + "/images", not_empty)) fs::remove(directory + "/images", not_empty);
  remove_file(directory + "/deck.yaml");
}

// What a run that was killed has not finished.
void remove_unfinished(const std::string& directory) {
  for (const std::string& name : own_files(directory))
    if (name.ends_with(".tmp")) remove_file(directory + "/" + name);
}

// A log of the run that goes on keeps its text under a name of its own.
void keep_log(const std::string& directory) {
  if (!fs::exists(directory + "/run.log")) return;
  int number = 1;
  const auto name = [&] { return directory + "/run_" + std::to_string(number) + ".log"; };
  while (fs::exists(name())) ++number;
  rename_file(directory + "/run.log", name(), false);
}

void make_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory, error)) {
    const std::string reason = error ? error.message() : "it is no directory";
    throw MachineError("cannot make the output directory " + directory + ": " + reason);
  }
}

}  // namespace

void remove_run(const std::string& directory) {
  if (!fs::exists(directory + "/deck.yaml")) return;
  remove_own_files(directory, {});
  std::error_code not_empty;
  fs::remove(directory, not_empty);
}

void refuse_earlier_run(const Communicator& comm, const std::string& directory, const Command& command) {
  if (command.overwrite || !command.restart.empty()) return;
  on_rank0(comm, [&] {
    std::error_code error;  // a directory that cannot be looked into is a matter of prepare_directory()
    if (!fs::exists(directory + "/deck.yaml", error)) return;
    std::string text = "halocline: " + directory + " holds a run already; nothing was computed. Choose another " +
                       "directory with --set output.directory=DIR";
    text += command.action == Action::study ? " or replace the run with --overwrite"
                                            : ", replace the run with --overwrite, or continue it with --restart auto";
    throw DeckError(text);
  });
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
    if (has_source) {
      remove_unfinished(directory);
      keep_log(directory);
      remove_file(directory + "/report.json");
    } else if (fs::exists(resolved)) {
      remove_own_files(directory, {command.restart, deck.file});
    } else if (!create_file(resolved, deck.resolved)) {
      throw DeckError("halocline: another run has just begun in " + directory + "; nothing was computed");
    }
    replace_file(resolved, deck.resolved);
  });
}

}  // namespace halocline
