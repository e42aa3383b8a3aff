// Cost: what a step or iteration of a problem does on a device and sends to others, for the forecast of `check`. It
// names kernels and counts bytes; how fast they are on a device is said by a table of rates (app/forecast/rates.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/problems/problem.hpp"

namespace halocline {

// Kernels of one kind, on the largest part.
struct KernelCost {
  std::string name;  // of its rate in the table
  double calls = 0;  // launches of a unit
  double bytes = 0;  // that all of them read and write; those of a kernel bound by arithmetic are a measure of its work
  double set = 0;    // bytes it comes back to: from a cache that holds them they come faster; 0: they never do
  double operations = 0;  // of kernels that are bound by these
};

// What the largest part sends to neighbors.
struct HaloCost {
  double calls = 0;                 // exchanges of a unit
  double bytes = 0;                 // of one exchange, to each neighbor
  int neighbors = 1;                // on different links: how many of them one after the other
  bool hidden = false;              // values travel while inner rows are computed
  bool hidden_when_staged = false;  // the same for messages through the host's memory
  KernelCost beside = {};    // a kernel on inner rows that hides each exchange, its start too, for as long as it takes
  double more_messages = 0;  // that one part gets, or sends, in an exchange, beside those of neighbors
};

// Lines that parts share, in chunks, each of which is reduced, turned there and back, and resolved while others travel
// (lib/linalg/strips/chunked_exchange.hpp).
struct LineCost {
  KernelCost reduce, resolve;  // of all chunks
  int chunks = 1;
  int stages = 1;            // of a turn
  double bytes = 0;          // that a part sends in a turn one way, of all chunks, in one stage
  double more_messages = 0;  // beyond one a stage, that a part sends of a chunk one way, where these are not halos'
};

// Cost of a unit: a step, an iteration, or the whole of a direct solution.
struct Cost {
  std::vector<KernelCost> kernels = {};
  std::vector<HaloCost> halos = {};
  std::vector<LineCost> lines = {};  // one after the other
  double turn_bytes = 0;             // that a part sends to all others in pieces, in one turn (mpi/halo/turn.hpp)
  double turns = 0;                  // of a unit
  double gather_bytes = 0;           // that every part gets of what all have, in one gather
  double gathers = 0;                // of a unit
  double sums = 0;                   // exact sums over all parts, each waited for
  double sum_bytes = 1136;
  const char* unit = "step";
  double units = 0;          // of the run; 0: not known before
  std::string assumed = {};  // what `units` or the figures rest on, where they are not certain; for the user
  std::string hint = {};     // what grows where it need not, for the user
};

// What a cost depends on besides the deck.
struct CostSetting {
  bool gpu = true;
  int parts = 1;
};

// Of a deck without faults, with its plan. Nothing where no cost is known: a method that has not been measured.
using CostModel = std::optional<Cost> (*)(const Options& options, const Plan& plan, const CostSetting& setting);

// Of a family; null where there is none (registry.cpp).
CostModel cost_model(std::string_view family);

// The largest number of parts up to `most` that a deck can have where not all numbers below one that does do; 0: all
// do.
using PartsModel = Index (*)(const Options& options, Index most);
PartsModel parts_model(std::string_view family);  // null: all families but those in boxes

// What forecasts for one number of parts after another want of a deck without faults that outlives it: made of the deck
// once, where plans for all of these numbers would take long.
class PartsCosts {
 public:
  virtual ~PartsCosts() = default;
  // As Plan::partition, for parts of one weight; nothing where they are too many.
  virtual std::optional<Partition> shares(int parts) const = 0;
  // As a CostModel, of such a partition.
  virtual std::optional<Cost> cost(const Partition& shares, const CostSetting& setting) const = 0;
};
using PartsCostsMaker = std::unique_ptr<PartsCosts> (*)(const Options& options);
PartsCostsMaker parts_costs(std::string_view family);  // null: plans are made quickly

// Lines, planes or rows of the largest part; 0 without parts.
inline double largest_share(const Partition& partition) {
  Index most = 0;
  for (int p = 0; p < partition.parts(); ++p) most = std::max(most, partition.block(p).size());
  return static_cast<double>(most);
}

}  // namespace halocline
