#include "app/run/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <new>
#include <numeric>
#include <vector>

#include "app/run/balance.hpp"
#include "app/run/summary.hpp"
#include "gpu/devices.hpp"
#include "io/collective.hpp"
#include "io/h5/h5_slabs.hpp"
#include "io/h5/relay.hpp"
#include "io/output/vtk_grid.hpp"
#include "lib/base/format.hpp"
#include "lib/base/memory/host_memory.hpp"

namespace halocline {
namespace {

// What takes less memory: in words.
std::string less_of(const LoadedDeck& deck) {
  if (deck.plan.on_grid.value_or(deck.family->on_grid)) return "a coarser grid";
  return deck.family->pace == Pace::none ? "fewer systems" : "fewer unknowns";
}

bool is_host(const std::string& device) {
  return !device.starts_with("cuda") && !(device == "auto" && cuda_device_count() > 0);
}

constexpr double unknown_card = -1;  // of a rank that cannot ask for it

// A number that the parts on one card share; 0 on the host.
double card_of(const Executor& executor) {
  const std::string bus = gpu_state(executor).bus;
  if (bus.empty()) return 0;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return static_cast<double>(1 + (std::hash<std::string>{}(host.data() + bus) >> 12));
}

// What the family knows to take less.
std::string smaller_text(const Plan& plan) { return plan.smaller.empty() ? "" : ", and so does " + plan.smaller; }

std::string outputs_text(const LoadedDeck& deck) {
  const double bytes = bytes_of_outputs(deck), all = bytes_beside_parts(deck);
  if (all == 0) return "";
  return " and " + bytes_text(all) + " per rank beside them" +
         (bytes == 0
              ? ""
              : ", of them " + bytes_text(bytes) + " for " +
                    count_text(static_cast<std::size_t>(deck.shared.output.on_the_way()), "output") + " on the way");
}

std::string forecast_text(const LoadedDeck& deck) {
  const std::size_t parts = deck.shape.weights.size();
  return "\nforecast of the plan: about " + bytes_text(static_cast<double>(deck.plan.bytes_per_part)) + " of memory" +
         (parts > 1 ? " for the largest of " + std::to_string(parts) + " parts" : "") +
         "; more ranks or devices make parts smaller" + smaller_text(deck.plan);
}

int parts_of_rank(const LoadedDeck& deck) { return static_cast<int>(deck.shape.weights.size()) / deck.shape.ranks; }

const std::string& device_of(const LoadedDeck& deck, int part) {
  const RunOptions& run = deck.shared.run;
  return run.devices[static_cast<std::size_t>(part) / static_cast<std::size_t>(run.per_rank)];
}

// Whether messages come from where the values lie.
bool is_own_host(const std::string& device) { return is_host(device) && !device.starts_with("emulated"); }

// A rank's share of a field.
double bytes_of_field(const LoadedDeck& deck) {
  const Plan& plan = deck.plan;
  const auto values = static_cast<double>(plan.grid ? count(*plan.grid, Centring::point) : plan.unknowns);
  return values * sizeof(double) / deck.shape.ranks;
}

double bytes_of_exchange(const LoadedDeck& deck) {
  const auto most = static_cast<double>(h5::exchange_bytes);
  return std::min(most, most / static_cast<double>(h5::round_bytes) * bytes_of_field(deck));
}

}  // namespace

double bytes_of_part(const LoadedDeck& deck, const Shape& shape, int part) {
  const auto sum = [](const std::vector<double>& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  };
  const std::vector<double>& planned = deck.shape.weights;
  const double all =
      static_cast<double>(deck.plan.bytes_per_part) * sum(planned) / *std::max_element(planned.begin(), planned.end());
  return all * shape.weights[static_cast<std::size_t>(part)] / sum(shape.weights);
}

double bytes_of_outputs(const LoadedDeck& deck) {
  const Plan& plan = deck.plan;
  const OutputOptions& output = deck.shared.output;
  std::size_t fields = output.fields.size();
  if (fields == 0) fields = plan.fields.empty() ? deck.shared.output.known_fields.size() : plan.fields.size();
  return static_cast<double>(output.on_the_way()) * static_cast<double>(fields) * bytes_of_field(deck);
}

double bytes_beside_parts(const LoadedDeck& deck, bool on_gpus) {
  const Plan& plan = deck.plan;
  const double parts = parts_of_rank(deck), field = plan.grid ? bytes_of_field(deck) : 0;
  // Of outputs under way the last field is written last of all, so that it is among theirs, unless it is cut anew.
  const bool in_slabs = plan.in_slabs || deck.shape.weights.size() == 1;
  double written = deck.shared.output.on_the_way() == 0 || !in_slabs ? field : 0;
  if (!in_slabs) written += bytes_of_exchange(deck);
  const double array = plan.archived_bytes > 0 ? parts * static_cast<double>(plan.archived_bytes) : field;
  const bool beside = deck.shared.checkpoint.files == CheckpointFiles::writers;
  // Arrays come to the host in pieces, as they lie in memory and without gaps.
  const double pieces = 2 * std::min(static_cast<double>(h5::round_bytes), array);
  const double saved = array + std::max(pieces, beside ? bytes_of_exchange(deck) : 0);
  double messages = 0;
  for (int part = 0; part < parts_of_rank(deck) && deck.shape.ranks > 1; ++part)
    if (on_gpus || !is_own_host(device_of(deck, part))) messages += 2 * static_cast<double>(plan.message_bytes);
  const double tables = plan.grid ? 0 : plan.table_bytes / deck.shape.ranks;
  return bytes_of_outputs(deck) + std::max(written, saved) + tables + messages;
}

namespace {

// What a writer of so many ranks of a node holds of the others' outputs.
double bytes_at_writer(const LoadedDeck& deck, int ranks) {
  using Kind = WriterChoice::Kind;
  const WriterChoice choice = deck.shared.output.writer_choice();
  const bool all = choice.kind == Kind::all || (choice.kind == Kind::number && choice.number >= deck.shape.ranks) ||
                   (choice.kind == Kind::automatic && deck.shape.ranks <= WriterChoice::most_of_all);
  const auto most = static_cast<double>(deck.shared.output.on_the_way()) * static_cast<double>(h5::inbox_bytes);
  return all ? 0 : std::min(most, bytes_of_outputs(deck) * (ranks - 1));
}

double node_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// On the host of this rank's node, with as many ranks as it has.
double needed_on_host(const Communicator& comm, const LoadedDeck& deck) {
  const int own = parts_of_rank(deck);
  const int sharers = deck.seat ? deck.seat->node.ranks : comm.node_size();
  double needed = bytes_beside_parts(deck) * sharers + bytes_at_writer(deck, sharers);
  for (int part = 0; part < own; ++part) {
    if (is_host(device_of(deck, part))) needed += bytes_of_part(deck, deck.shape, comm.rank() * own + part) * sharers;
  }
  return needed;
}

// By device, on the GPUs of this rank's node, whose ranks follow each other.
std::vector<double> needed_on_gpus(const Communicator& comm, const LoadedDeck& deck, int gpus) {
  const RunOptions& run = deck.shared.run;
  const int own = parts_of_rank(deck), first = comm.rank() - comm.node_rank();
  std::vector<double> needed(static_cast<std::size_t>(gpus), 0.0);
  for (int rank = 0; rank < comm.node_size(); ++rank) {
    const auto names = devices_of_rank(run.devices, static_cast<int>(run.per_rank), {rank, comm.node_size()}, gpus);
    for (int part = 0; part < own; ++part)
      for (int gpu = 0; gpu < gpus; ++gpu)
        if (names[static_cast<std::size_t>(part)] == "cuda:" + std::to_string(gpu))
          needed[static_cast<std::size_t>(gpu)] += bytes_of_part(deck, deck.shape, (first + rank) * own + part);
  }
  return needed;
}

}  // namespace

std::string memory_warning(const std::string& place, double needed, double present) {
  if (!(needed > present)) return "";
  return formatted(
      "{} has {}, and the run needs about {} there, {} more or {:.3g} times as much; it would be refused here", place,
      bytes_text(present), bytes_text(needed), bytes_text(needed - present), needed / present);
}

std::vector<std::string> memory_warnings(const Communicator& comm, const LoadedDeck& deck) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) found.push_back(text);
  };
  add(memory_warning("this machine", needed_on_host(comm, deck), node_memory()));
  const std::vector<std::size_t> gpus = cuda_memories();
  const std::vector<double> needed = needed_on_gpus(comm, deck, static_cast<int>(gpus.size()));
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
    add(memory_warning("cuda:" + std::to_string(gpu), needed[gpu], static_cast<double>(gpus[gpu])));
  return found;
}

void refuse_small_host(const Communicator& comm, const LoadedDeck& deck) {
  const double needed = needed_on_host(comm, deck), present = node_memory();
  if (needed <= present) return;
  throw MachineError("the run needs about " + bytes_text(needed) + " of memory on a node (" +
                     bytes_text(static_cast<double>(deck.plan.bytes_per_part)) + " per part" + outputs_text(deck) +
                     "), which has " + bytes_text(present) + "; use more nodes or " + less_of(deck) +
                     (bytes_of_outputs(deck) > 0 ? ", or output.buffers: 0" : "") +
                     (deck.plan.smaller.empty() ? "" : ", or " + deck.plan.smaller));
}

void check_host_memory(const Communicator& comm, const LoadedDeck& deck) {
  on_all_ranks(comm, [&] { refuse_small_host(comm, deck); });
}

void check_gpu_memory(const Communicator& comm, const Team& team, const Shape& shape, const LoadedDeck& deck) {
  std::vector<double> cards(static_cast<std::size_t>(team.parts()), unknown_card);
  std::exception_ptr failure;  // told below, where all ranks listen
  try {
    for (std::size_t part = 0; part < cards.size(); ++part)
      cards[part] = card_of(*team.executor(static_cast<int>(part)));
  } catch (...) {
    failure = std::current_exception();
  }
  const std::vector<double> all = of_all_parts(comm, cards);
  on_all_ranks(comm, [&] {
    if (failure) std::rethrow_exception(failure);
    for (std::size_t own = 0; own < cards.size(); ++own) {
      if (cards[own] == 0) continue;
      double needed = 0;
      for (std::size_t part = 0; part < all.size(); ++part)
        if (all[part] == cards[own]) needed += bytes_of_part(deck, shape, static_cast<int>(part));
      const Executor& executor = *team.executor(static_cast<int>(own));
      const auto sharers = static_cast<int>(std::count(all.begin(), all.end(), cards[own]));
      const auto free = static_cast<double>(gpu_state(executor).free_bytes);
      const std::string fault = gpu_memory_fault(executor.name(), sharers, needed, free, less_of(deck));
      if (!fault.empty()) throw MachineError(fault);
    }
  });
}

void telling_forecast(const LoadedDeck& deck, const std::function<void()>& work) {
  try {
    work();
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(error.what() + forecast_text(deck));
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("out of memory" + forecast_text(deck));
  }
}

std::string gpu_memory_fault(const std::string& device, int parts, double bytes, double free, const std::string& less) {
  if (bytes <= free) return "";
  return device + ": out of memory: the run needs about " + bytes_text(bytes) + " there for " +
         (parts == 1 ? "its part" : "its " + std::to_string(parts) + " parts") + ", " + bytes_text(free) +
         " are free; use more GPUs or " + less;
}

}  // namespace halocline
