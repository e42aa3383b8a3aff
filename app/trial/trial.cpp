#include "app/trial/trial.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "app/trial/process_end.hpp"
#include "io/collective.hpp"
#include "io/hdf5_matrix.hpp"
#include "io/raster/raster_file.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

extern char** environ;

namespace halocline {
namespace {

constexpr const char* word = "--read-in-trial";   // argv[1]; the others are those of a Reading
constexpr rlim_t patience = 3;                    // seconds of work
constexpr std::chrono::seconds most_waiting{60};  // with what the disk takes, and others on the machine
// Numbers that are read at a time, and of one file; of larger ones the beginning is read.
constexpr Index piece = Index{1} << 20, most = Index{4} << 20;

bool may_start = false;

// What a deck reads of a file.
struct Reading {
  std::string kind;  // matrix, vector or raster
  std::string path, name, field, time;

  std::vector<std::string> words() const { return {"halocline", word, kind, path, name, field, time}; }
};

// Faults that are found here are told by who reads next. Other ranks may read what comes after.
template <class Work>
void attempt(const Work& work) {
  try {
    work();
  } catch (...) {
  }
}

void read_raster(const Reading& r) {
  const auto file = open_raster({r.path, r.name, r.field, r.time});
  const auto& extent = file->extent;
  const Index across = std::min(extent[0], piece), rows = std::clamp<Index>(piece / across, 1, extent[1]),
              planes = std::clamp<Index>(piece / (across * rows), 1, extent[2]);
  Index left = most;
  for (Index z = 0; z < extent[2] && left > 0; z += planes)
    for (Index y = 0; y < extent[1] && left > 0; y += rows, left -= across * rows * planes)
      attempt([&] {
        file->read({{0, y, z}, {across, std::min(y + rows, extent[1]), std::min(z + planes, extent[2])}});
      });
}

void read_table(const Reading& r) {
  const Hdf5Header header =
      r.kind == "matrix" ? hdf5_matrix_header(r.path, r.name) : hdf5_vector_header(r.path, r.name);
  const DataShape& s = header.shape;
  const Index of_row = 1 + s.entries / std::max<Index>(1, s.rows), rows = std::max<Index>(1, piece / of_row);
  Index left = most;
  for (Index first = 0; first < s.rows && left > 0; first += rows, left -= rows * of_row) {
    const Range<1> some{{first}, {std::min(first + rows, s.rows)}};
    attempt([&] {
      if (header.matrix)
        read_hdf5_rows(header, some);
      else
        read_hdf5_columns(header, some);
    });
  }
}

// The work of the process.
void read_in_trial(const Reading& r) {
  const rlimit none{0, 0}, work{patience, patience};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &work);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::alarm(static_cast<unsigned>(2 * most_waiting.count()));  // in case that nobody waits any more
  attempt([&] {
    if (r.kind == "raster")
      read_raster(r);
    else
      read_table(r);
  });
}

// How a process has ended that has read, as one without a fault where none could be started.
ProcessEnd end_of(const Reading& r, const Interruption& interruption) {
  std::vector<std::string> words = r.words();
  std::vector<char*> argv;
  for (std::string& one : words) argv.push_back(one.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return {};
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int fault = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) return {};
  return end_of_process(process, most_waiting, [&] { return !interruption().empty(); });
}

// Ended by others, or by a machine that has no memory left, it says nothing about the file.
std::string fault_of(int status) {
  if (!WIFSIGNALED(status)) return "";
  constexpr std::array crashes = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
  const int number = WTERMSIG(status);
  if (number == SIGXCPU) return formatted("HDF5 comes to no end in {} s", patience);
  const bool crash = std::find(crashes.begin(), crashes.end(), number) != crashes.end();
  return crash ? formatted("HDF5 itself fails on it (signal {}, {})", number, strsignal(number)) : "";
}

void try_file(const Reading& reading, const Interruption& interruption) {
  const ProcessEnd end = end_of(reading, interruption);
  if (end.how == ProcessEnd::How::interrupted)
    throw MachineError("ended by " + interruption() + " while " + reading.path + " was tried; nothing was computed");
  if (end.how == ProcessEnd::How::too_late)
    throw MachineError(formatted("cannot read {}: that takes longer than {} s; nothing was computed", reading.path,
                                 most_waiting.count()));
  const std::string fault = fault_of(end.status);
  if (!fault.empty()) throw DeckError(reading.path + " is damaged: " + fault);
}

bool is_hdf5(const std::string& path, const std::string& format) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  const auto ends = [&](const char* ending) { return path.ends_with(ending); };
  return S_ISDIR(status.st_mode) || format == "hdf5" || ends(".h5") || ends(".hdf5") || ends(".vtkhdf") || ends(".hdf");
}

// Of a key that names a file; its neighbors say what is read of it.
Reading reading_of(const Fingerprint& keys, const std::string& path, const std::string& file) {
  const std::string block = path.substr(0, path.rfind('.') + 1);
  const auto value = [&](const char* name) {
    const auto found = keys.keys.find(block + name);
    return found == keys.keys.end() ? "" : found->second.text;
  };
  if (!is_hdf5(file, value("format"))) return {};
  if (keys.keys.contains(block + "group")) return {"matrix", file, value("group"), "", ""};
  return {keys.keys.contains(block + "field") ? "raster" : "vector", file, value("dataset"), value("field"),
          value("time")};
}

}  // namespace

std::optional<int> serve_trial(int argc, const char* const* argv) {
  may_start = true;
  if (argc < 2 || std::string(argv[1]) != word) return std::nullopt;
  if (argc == 7) read_in_trial({argv[2], argv[3], argv[4], argv[5], argv[6]});
  return 0;
}

void try_data_files(const Communicator& comm, const Fingerprint& keys, const Interruption& interruption) {
  const auto names_file = [](const auto& key) { return !key.second.file.empty(); };
  if (std::none_of(keys.keys.begin(), keys.keys.end(), names_file)) return;  // on all ranks
  on_rank0(comm, [&] {
    static std::set<std::vector<std::string>> tried;
    for (const auto& [path, value] : keys.keys) {
      if (!may_start || value.file.empty()) continue;
      const Reading reading = reading_of(keys, path, value.file);
      if (reading.path.empty() || tried.contains(reading.words())) continue;
      try_file(reading, interruption);
      tried.insert(reading.words());
    }
  });
}

}  // namespace halocline
