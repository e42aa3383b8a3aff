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

constexpr double most_speed = 4;  // of several steps, against one

Index most_columns(const BoxNeeds& needs) {
  if (!needs.may_be_boxes()) return 1;
  const Index chunk = needs.chunk(), least = (needs.least + chunk - 1) / chunk;
  return std::max<Index>(1, (needs.across() - needs.least) / chunk / least + 1);
}
Index most_layers(const BoxNeeds& needs) { return std::max<Index>(1, needs.along() / needs.least); }

Index largest_share(Index count, Index parts) { return (count + parts - 1) / parts; }
Index widest(const BoxNeeds& needs, Index columns) {
  const Index chunk = needs.chunk();
  return std::min(needs.across(), chunk * largest_share((needs.across() + chunk - 1) / chunk, columns));
}

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

std::string text_of(const BoxNeeds& needs, const BoxCounts& counts) {
  return std::to_string(counts.columns) + (needs.deep() ? " along y times " : " along x times ") +
         std::to_string(counts.layers) + (needs.deep() ? " along z" : " along y");
}

[[noreturn]] void refuse(const BoxNeeds& needs, Index parts) {
  Index fewer = std::min(parts, most_columns(needs) * most_layers(needs));
  while (!fits(needs, fewer)) --fewer;
  const BoxCounts best = cheapest(needs, fewer);
  throw DeckError(
      "cannot cut " + std::to_string(needs.across()) + (needs.deep() ? " rows along y times " : " columns times ") +
      std::to_string(needs.along()) + (needs.deep() ? " planes into " : " rows into ") + std::to_string(parts) +
      " parts of at least " + std::to_string(needs.least) + ": at most " +
      std::to_string(most_columns(needs) * most_layers(needs)) + " parts fit, best up to here " +
      std::to_string(fewer) + " (" + text_of(needs, best) + "); use fewer ranks or devices, or enlarge the problem");
}

BoxPartition table(const BoxNeeds& needs, const BoxCounts& counts) {
  const auto even = [](Index count, Index chunk, Index parts, Index least) {
    return Partition(count, chunk, std::vector<double>(static_cast<std::size_t>(parts), 1.0), least);
  };
  return {even(needs.across(), needs.chunk(), counts.columns, needs.deep() ? 1 : needs.least),
          even(needs.along(), 1, counts.layers, 1)};
}

// What a part computes twice for `sides` neighbors along an axis, by its own length along it: cells that neighbors wait
// for are computed apart, and several steps ask for cells around them.
double twice(const BoxNeeds& needs, double sides, Index length) {
  if (needs.deep()) return 0;
  return 1.5 * sides * static_cast<double>(needs.reach * (needs.steps - 1)) / static_cast<double>(length);
}

}  // namespace

bool fits(const BoxNeeds& needs, Index parts) { return cheapest(needs, parts).columns > 0; }

BoxCost cost_of(const BoxNeeds& needs, const BoxCounts& counts) {
  const Index rows = widest(needs, counts.columns), planes = largest_share(needs.along(), counts.layers);
  const double y = neighbors(counts.columns, needs.around_y), z = neighbors(counts.layers, needs.around_z);
  const auto reach = static_cast<double>(needs.reach);
  const auto steps = static_cast<double>(needs.steps);
  const double lines =
      reach * (y * static_cast<double>(planes) + z * static_cast<double>(rows) + y * z * reach * steps);
  const double of_line = static_cast<double>((needs.deep() ? needs.grid.extent[0] : 1) * needs.fields);
  BoxCost cost;
  cost.messages = (1 + y) * (1 + z) - 1;
  cost.bytes = lines * of_line * static_cast<double>(needs.value_bytes);
  const double again = (1 + twice(needs, y, rows)) * (1 + twice(needs, z, planes));
  const double computed =
      again * 16 * of_line * static_cast<double>(rows * planes) / (memory_rate * std::min(most_speed, (1 + steps) / 2));
  const double sent = cost.bytes / network_rate + cost.messages * latency / steps;
  cost.seconds = std::max(computed, sent) + never_hidden * sent;
  return cost;
}

BoxCounts read_wish(const std::vector<double>& given, Faults& faults) {
  if (given.empty()) return {};
  const bool whole = std::all_of(given.begin(), given.end(), [](double n) { return n >= 1 && n == std::floor(n); });
  if (given.size() == 2 && whole) return {static_cast<Index>(given[0]), static_cast<Index>(given[1])};
  faults.at("diffusion.grid.parts",
            "must be a list of two whole numbers: parts along y and along z, in 2D along x and along y");
  return {};
}

std::string fault_of_wish(const BoxNeeds& needs, const std::vector<double>& weights, const BoxCounts& wish) {
  if (wish.columns == 0) return "";
  const auto parts = static_cast<Index>(weights.size());
  if (wish.columns * wish.layers != parts)
    return "makes " + std::to_string(wish.columns * wish.layers) + " parts; this run has " + std::to_string(parts) +
           ", one for each device of each rank";
  if (wish.columns > 1 && !needs.may_be_boxes())
    return "cuts along x, which " + needs.whole_lines + "; slabs are [1, " + std::to_string(parts) + "]";
  if (wish.columns > 1 && !equal(weights)) return "needs devices of equal weights; others are served by slabs";
  if (wish.columns > most_columns(needs) || wish.layers > most_layers(needs))
    return "makes parts of less than " + std::to_string(needs.least) +
           (needs.deep() ? " rows or planes" : " columns or rows, columns in pieces of 32") + "; at most " +
           text_of(needs, {most_columns(needs), most_layers(needs)}) + " fit";
  return "";
}

BoxPartition choose_boxes(const BoxNeeds& needs, const std::vector<double>& weights, const BoxCounts& wish) {
  const UniformGrid& g = needs.grid;
  const auto parts = static_cast<Index>(weights.size());
  const Index across = needs.deep() ? g.extent[1] : 1;
  if (wish.columns > 1) return table(needs, wish);
  const auto slabs = [&] { return BoxPartition::slabs(across, Partition(needs.along(), 1, weights)); };
  if (!needs.may_be_boxes() || wish.columns == 1 || !equal(weights)) return slabs();
  if (parts <= std::min(parts_in_slabs, most_layers(needs))) return slabs();
  const BoxCounts best = cheapest(needs, parts);
  if (best.columns == 0) refuse(needs, parts);
  if (parts <= most_layers(needs) && cost_of(needs, {1, parts}).seconds < least_gain * cost_of(needs, best).seconds)
    return slabs();
  return table(needs, best);
}

}  // namespace halocline::diffusion
