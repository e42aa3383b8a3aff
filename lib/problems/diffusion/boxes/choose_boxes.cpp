#include "lib/problems/diffusion/boxes/choose_boxes.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"

namespace halocline::diffusion {

namespace {

constexpr double memory_rate = 4e12, network_rate = 50e9, latency = 2e-6;  // bytes/s, s
constexpr double never_hidden = 0.125;                                     // of what is sent
constexpr double least_gain = 1.1;
constexpr Index parts_in_slabs = 4;

Index most_columns(const BoxNeeds& needs) { return std::max<Index>(1, needs.grid.extent[1] / needs.least); }
Index most_layers(const BoxNeeds& needs) { return std::max<Index>(1, needs.grid.extent[2] / needs.least); }

Index largest_share(Index count, Index parts) { return (count + parts - 1) / parts; }

// Neighbors along an axis of a part that has the most.
double neighbors(Index parts, bool around) { return parts == 1 ? 0 : parts == 2 && !around ? 1 : 2; }

bool equal(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [&](double w) { return w == weights.front(); });
}

// The cheapest of all ways to cut into so many parts; no columns: there is none.
BoxCounts cheapest(const BoxNeeds& needs, Index parts) {
  return cheapest_table<BoxCounts>(parts, most_columns(needs), most_layers(needs),
                                   [&](const BoxCounts& counts) { return cost_of(needs, counts).seconds; });
}

std::string text_of(const BoxCounts& counts) {
  return std::to_string(counts.columns) + " along y times " + std::to_string(counts.layers) + " along z";
}

[[noreturn]] void refuse(const BoxNeeds& needs, Index parts) {
  Index fewer = std::min(parts, most_columns(needs) * most_layers(needs));
  while (!fits(needs, fewer)) --fewer;
  const BoxCounts best = cheapest(needs, fewer);
  throw DeckError("cannot cut " + std::to_string(needs.grid.extent[1]) + " rows along y times " +
                  std::to_string(needs.grid.extent[2]) + " planes into " + std::to_string(parts) +
                  " parts of at least " + std::to_string(needs.least) + ": at most " +
                  std::to_string(most_columns(needs) * most_layers(needs)) + " parts fit, best up to here " +
                  std::to_string(fewer) + " (" + text_of(best) +
                  "); use fewer ranks or devices, or enlarge the problem");
}

Partition even(Index count, Index parts) {
  return Partition(count, 1, std::vector<double>(static_cast<std::size_t>(parts), 1.0));
}

}  // namespace

bool fits(const BoxNeeds& needs, Index parts) { return cheapest(needs, parts).columns > 0; }

BoxCost cost_of(const BoxNeeds& needs, const BoxCounts& counts) {
  const UniformGrid& g = needs.grid;
  const Index rows = largest_share(g.extent[1], counts.columns), planes = largest_share(g.extent[2], counts.layers);
  const double y = neighbors(counts.columns, needs.around_y), z = neighbors(counts.layers, needs.around_z);
  const auto reach = static_cast<double>(needs.reach);
  const double lines = reach * (y * static_cast<double>(planes) + z * static_cast<double>(rows) + y * z * reach);
  const double of_line = static_cast<double>(g.extent[0] * needs.fields);
  BoxCost cost;
  cost.messages = (1 + y) * (1 + z) - 1;
  cost.bytes = lines * of_line * static_cast<double>(needs.value_bytes);
  const double computed = 16 * of_line * static_cast<double>(rows * planes) / memory_rate;
  const double sent = cost.bytes / network_rate + cost.messages * latency;
  cost.seconds = std::max(computed, sent) + never_hidden * sent;
  return cost;
}

BoxCounts read_wish(const std::vector<double>& given, Faults& faults) {
  if (given.empty()) return {};
  const bool whole = std::all_of(given.begin(), given.end(), [](double n) { return n >= 1 && n == std::floor(n); });
  if (given.size() == 2 && whole) return {static_cast<Index>(given[0]), static_cast<Index>(given[1])};
  faults.at("diffusion.grid.parts", "must be a list of two whole numbers: parts along y and along z");
  return {};
}

std::string fault_of_wish(const BoxNeeds& needs, const std::vector<double>& weights, const BoxCounts& wish) {
  if (wish.columns == 0) return "";
  const auto parts = static_cast<Index>(weights.size());
  if (needs.grid.dimensions != 3) return "is for grids in 3D; a grid in 2D is cut into slabs of rows";
  if (wish.columns * wish.layers != parts)
    return "makes " + std::to_string(wish.columns * wish.layers) + " parts; this run has " + std::to_string(parts) +
           ", one for each device of each rank";
  if (wish.columns > 1 && !equal(weights)) return "needs devices of equal weights; others are served by slabs";
  if (wish.columns > most_columns(needs) || wish.layers > most_layers(needs))
    return "makes parts of less than " + std::to_string(needs.least) + " rows or planes; at most " +
           text_of({most_columns(needs), most_layers(needs)}) + " fit";
  return "";
}

BoxPartition choose_boxes(const BoxNeeds& needs, const std::vector<double>& weights, const BoxCounts& wish) {
  const UniformGrid& g = needs.grid;
  const auto parts = static_cast<Index>(weights.size());
  const Index across = g.dimensions == 3 ? g.extent[1] : 1, slow = g.extent[g.slow_axis()];
  if (wish.columns > 1) return {even(g.extent[1], wish.columns), even(g.extent[2], wish.layers)};
  const auto slabs = [&] { return BoxPartition::slabs(across, Partition(slow, 1, weights)); };
  if (g.dimensions != 3 || wish.columns == 1 || !equal(weights)) return slabs();
  if (parts <= std::min(parts_in_slabs, most_layers(needs))) return slabs();
  const BoxCounts best = cheapest(needs, parts);
  if (best.columns == 0) refuse(needs, parts);
  if (parts <= most_layers(needs) && cost_of(needs, {1, parts}).seconds < least_gain * cost_of(needs, best).seconds)
    return slabs();
  return {even(g.extent[1], best.columns), even(g.extent[2], best.layers)};
}

}  // namespace halocline::diffusion
