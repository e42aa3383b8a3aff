#include <filesystem>

#include "app/launcher.hpp"
#include "io/collective.hpp"
#include "io/files.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

struct Pattern {
  const char *prefix, *suffix;
};

// Every file that halocline writes into an output directory, and nothing else. The deck is last: while it is there the
// directory counts as a run.
constexpr Pattern own_files[] = {
    {"fields", ".hdf"},     {"fields_grid", ".h5"}, {"fields", ".hdf.series"}, {"fields", ".xdmf"}, {"tables", ".h5"},
    {"checkpoint_", ".h5"}, {"run", ".log"},        {"report", ".json"},       {"study", ".csv"},   {"deck", ".yaml"}};

void remove_own_files(const std::string& directory) {
  for (const Pattern& pattern : own_files) {
    for (const char* ending : {"", ".tmp"}) {
      const std::string suffix = std::string(pattern.suffix) + ending;
      for (const std::string& name : list_files(directory, pattern.prefix, suffix)) remove_file(directory + "/" + name);
    }
  }
}

// A log of the run that goes on keeps its text under a name of its own.
void keep_log(const std::string& directory) {
  if (!fs::exists(directory + "/run.log")) return;
  int number = 1;
  const auto name = [&] { return directory + "/run_" + std::to_string(number) + ".log"; };
  while (fs::exists(name())) ++number;
  rename_file(directory + "/run.log", name(), false);
}

bool holds_checkpoint(const std::string& directory) { return !list_files(directory, "checkpoint_", ".h5").empty(); }

void make_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory, error)) {
    const std::string reason = error ? error.message() : "it is no directory";
    throw MachineError("cannot make the output directory " + directory + ": " + reason);
  }
}

}  // namespace

OutputDirectory prepare_directory(const Communicator& comm, const LoadedDeck& deck, const Command& command) {
  OutputDirectory found{deck.shared.output.directory, false};
  std::vector<Index> continued(1, 0);
  on_rank0(comm, [&] {
    const bool holds_run = fs::exists(found.path + "/deck.yaml");
    if (holds_run && !command.overwrite && command.restart.empty())
      throw DeckError("halocline: " + found.path +
                      " holds a run already; nothing was computed. Choose another directory with --set " +
                      "output.directory=DIR, replace the run with --overwrite, or continue it with --restart auto");
    make_directory(found.path);
    const bool goes_on =
        holds_run && (command.restart == "auto" ? holds_checkpoint(found.path) : !command.restart.empty());
    if (goes_on) {
      keep_log(found.path);
    } else {
      remove_own_files(found.path);
    }
    replace_file(found.path + "/deck.yaml", deck.resolved);
    continued[0] = goes_on ? 1 : 0;
  });
  comm.broadcast(continued);
  found.continued = continued[0] == 1;
  return found;
}

bool has_checkpoint(const Communicator& comm, const std::string& directory) {
  std::vector<Index> found(1, 0);
  on_rank0(comm, [&] { found[0] = holds_checkpoint(directory) ? 1 : 0; });
  comm.broadcast(found);
  return found[0] == 1;
}

}  // namespace halocline
