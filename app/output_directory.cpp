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

// `keep`: a checkpoint to restart from, which may lie here.
void remove_own_files(const std::string& directory, const std::string& keep) {
  std::error_code error;
  for (const Pattern& pattern : own_files) {
    for (const char* ending : {"", ".tmp"}) {
      const std::string suffix = std::string(pattern.suffix) + ending;
      for (const std::string& name : list_files(directory, pattern.prefix, suffix)) {
        const std::string file = directory + "/" + name;
        if (keep.empty() || !fs::equivalent(file, keep, error)) remove_file(file);
      }
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

void refuse_earlier_run(const Communicator& comm, const std::string& directory, const Command& command) {
  if (command.overwrite || !command.restart.empty()) return;
  on_rank0(comm, [&] {
    std::error_code error;  // a directory that cannot be looked into is a matter of prepare_directory()
    if (fs::exists(directory + "/deck.yaml", error))
      throw DeckError(
          "halocline: " + directory + " holds a run already; nothing was computed. Choose another directory " +
          "with --set output.directory=DIR, replace the run with --overwrite, or continue it with " + "--restart auto");
  });
}

void prepare_directory(const Communicator& comm, const LoadedDeck& deck, const Command& command) {
  const std::string& directory = deck.shared.output.directory;
  on_rank0(comm, [&] {
    make_directory(directory);
    const bool has_source = command.restart == "auto" ? holds_checkpoint(directory) : !command.restart.empty();
    if (has_source) {
      keep_log(directory);
    } else {
      remove_own_files(directory, command.restart);
    }
    replace_file(directory + "/deck.yaml", deck.resolved);
  });
}

bool has_checkpoint(const Communicator& comm, const std::string& directory) {
  std::vector<Index> found(1, 0);
  on_rank0(comm, [&] { found[0] = holds_checkpoint(directory) ? 1 : 0; });
  comm.broadcast(found);
  return found[0] == 1;
}

}  // namespace halocline
