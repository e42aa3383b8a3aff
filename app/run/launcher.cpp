#include "app/run/launcher.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>

#include "app/run/signals.hpp"
#include "app/trial/trial.hpp"
#include "gpu/devices.hpp"
#include "io/deck/deck.hpp"
#include "io/deck/deck_fingerprint.hpp"
#include "io/deck/deck_reader.hpp"
#include "io/deck/deck_schema.hpp"
#include "io/files.hpp"
#include "lib/base/format.hpp"
#include "lib/problems/restart_keys.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr int most_threads = 4096;                          // as of run.threads
constexpr std::size_t largest_deck = std::size_t{8} << 20;  // read; the Deck itself refuses less

// The deck's text on every rank; a file that cannot be read is a fault of the command line.
std::string shared_text(const Communicator& comm, const Command& command) {
  if (!command.deck_text.empty()) return command.deck_text;
  const std::string& file = command.deck;
  std::string text, reason;
  if (comm.rank() == 0) {
    try {
      text = read_text(file, largest_deck);
    } catch (const MachineError& error) {
      reason = error.what();
    }
  }
  comm.broadcast(reason);
  if (!reason.empty()) throw DeckError(reason);
  comm.broadcast(text);
  return text;
}

std::vector<const char*> family_names() {
  std::vector<const char*> names;
  for (const Family& family : families()) names.push_back(family.name);
  return names;
}

std::vector<double> part_weights(const RunOptions& run, int ranks) {
  const std::size_t own = run.devices.size() * static_cast<std::size_t>(run.per_rank);
  const std::size_t all = own * static_cast<std::size_t>(ranks);
  if (all == 0) return std::vector<double>(static_cast<std::size_t>(ranks), 1.0);  // a fault that is reported already
  if (run.weights.empty()) return std::vector<double>(all, 1.0);
  std::vector<double> weights;
  for (std::size_t part = 0; part < all; ++part) weights.push_back(run.weights[part % run.weights.size()]);
  return weights;
}

std::string resolve(const Deck& text, int chosen, LoadedDeck& deck) {
  DeckEcho echo(text);
  echo.choice(problem_key, chosen, family_names());
  deck.options->describe(echo);
  deck.shared.describe(echo);
  return echo.text();
}

std::vector<std::string> files_of(const Fingerprint& keys) {
  std::vector<std::string> files;
  for (const auto& [path, value] : keys.keys)
    if (!value.file.empty()) files.push_back(value.file);
  return files;
}

std::string interruption() {
  const int number = caught_signal();
  return number == 0 ? "" : signal_name(number);
}

// A number that ranks with the same hardware threads on the same node share.
double affinity_key(const cpu_set_t& allowed) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string text = host.data();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) text += ',' + std::to_string(cpu);
  }
  return static_cast<double>(std::hash<std::string>{}(text) >> 12);
}

}  // namespace

LoadedDeck load_deck(const Communicator& comm, const Command& command, int refine, const std::string& directory_suffix,
                     const JudgePlan& judge) {
  LoadedDeck loaded;
  loaded.file = command.deck;
  loaded.name = fs::path(command.deck).stem().string();
  const Deck deck(shared_text(comm, command), command.deck, command.overrides);
  DeckReader reader(deck);
  int chosen = -1;
  reader.choice(problem_key, chosen, family_names());
  if (chosen < 0) reader.check();  // without a family nothing else can be judged
  loaded.family = &families()[static_cast<std::size_t>(chosen)];
  loaded.options = loaded.family->options();
  loaded.options->describe(reader);
  loaded.shared.output.known_fields = loaded.family->known_fields(*loaded.options);
  loaded.shared.describe(reader);
  reader.finish();
  const bool described_well = reader.faults().empty();
  const int ranks = command.ranks > 0 ? static_cast<int>(command.ranks) : comm.size();
  loaded.shared.check(ranks, reader);
  loaded.shape = {ranks, part_weights(loaded.shared.run, ranks)};
  if (described_well) {
    const Fingerprint keys = fingerprint_of(deck, *loaded.options, {});
    loaded.files = NamedFiles(comm, files_of(keys));
    try_data_files(comm, keys, interruption);
  }
  if (described_well) {  // values that are missing would only bring faults that follow from others
    if (refine > 1) loaded.options->refine(refine);
    const std::size_t before = reader.faults().size();
    loaded.plan = loaded.family->plan(*loaded.options, loaded.shape, reader);
    if (judge) judge(loaded, reader.faults().size() > before, reader);
  }
  loaded.shared.check_for(*loaded.family, loaded.plan, reader);
  ProbeOptions& probes = loaded.shared.output.probes;
  if (probes.given() && probes.fields.empty()) probes.fields = loaded.plan.fields;  // those that this deck has
  reader.check();
  std::string& directory = loaded.shared.output.directory;
  const bool chosen_here = std::any_of(command.overrides.begin(), command.overrides.end(),
                                       [](const std::string& text) { return text.starts_with("output.directory"); });
  if (directory.empty()) {
    if (loaded.name == "." || loaded.name == "..")
      throw DeckError(command.deck + ": such a name names no directory; choose one with --set output.directory=DIR");
    directory = "out/" + loaded.name;
  }
  if (!chosen_here) directory += directory_suffix;
  loaded.resolved = resolve(deck, chosen, loaded);
  loaded.keys = fingerprint_of(deck, *loaded.options, keys_free_on_restart(loaded.family->name));
  return loaded;
}

int default_threads(const Communicator& comm) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  int count = omp_get_num_procs();
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = CPU_COUNT(&allowed);
  const double mine = affinity_key(allowed);
  const std::vector<double> keys = comm.gather(mine);
  const auto sharers = static_cast<int>(std::count(keys.begin(), keys.end(), mine));
  if (std::getenv("OMP_NUM_THREADS") != nullptr) {
    const int asked = omp_get_max_threads();
    if (asked > most_threads)  // the OpenMP library ends in a segmentation fault
      throw MachineError("OMP_NUM_THREADS asks for " + std::to_string(asked) + " threads; at most " +
                         std::to_string(most_threads));
    return std::max(1, asked);
  }
  return std::max(1, count / sharers);
}

JobSeat seat_of(const Communicator& comm, const LoadedDeck& deck) {
  if (deck.seat) return *deck.seat;
  return {{comm.node_rank(), comm.node_size()}, default_threads(comm)};
}

std::vector<ExecutorPtr> make_executors(const RunOptions& run, int threads, const NodePlace& place,
                                        const Timers* profiled) {
  const auto names = devices_of_rank(run.devices, static_cast<int>(run.per_rank), place, cuda_device_count());
  const std::vector<int> shares = share_threads(names, threads);
  std::vector<ExecutorPtr> executors;
  for (std::size_t i = 0; i < names.size(); ++i) executors.push_back(make_executor(names[i], shares[i], profiled));
  return executors;
}

std::vector<std::string> device_map(const Communicator& comm, const Team& team, const Shape& shape) {
  const double all = std::accumulate(shape.weights.begin(), shape.weights.end(), 0.0);
  const auto share_of = [&](int part) {
    const double mean = 1.0 / static_cast<double>(shape.weights.size());
    const double share = shape.weights[static_cast<std::size_t>(part)] / all;
    if (std::abs(share - mean) < 1e-6) return std::string{};
    return formatted(" ({:.3g}%)", 100 * share);
  };
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string text = "rank " + std::to_string(comm.rank()) + " on " + host.data() + ":";
  for (int part = 0; part < team.parts(); ++part) {
    text += (part > 0 ? ", part " : " part ") + std::to_string(team.first_part() + part) + " on " +
            team.executor(part)->name() + share_of(team.first_part() + part);
  }
  return comm.gather(text);
}

}  // namespace halocline
