#include "lib/problems/fractional/boxes/part_boxes.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/linalg/strips/strips.hpp"

namespace halocline::fractional {

namespace {

constexpr double memory_rate = 4e12, network_rate = 50e9, latency = 2e-6;  // bytes/s, s
constexpr double moved_values = 23;                                        // of slots, a node and step
constexpr double least_gain = 1.1;
constexpr Index parts_in_slabs = 4;

strips::StripLayout strips_along(const Formulation& f, int axis) { return strips::strip_layout(f.grid.extent[axis]); }
Index most_columns(const Formulation& f) { return why_slabs(f).empty() ? strips_along(f, 1).count : 1; }
Index most_layers(const Formulation& f) { return strips_along(f, 2).count; }

// Whole strips for parts of these weights.
Partition cut(const strips::StripLayout& layout, const std::vector<double>& weights) {
  return strips::rows_of_strips(layout, Partition(layout.count, 1, weights));
}
Partition even_cut(const strips::StripLayout& layout, Index parts) {
  return cut(layout, std::vector<double>(static_cast<std::size_t>(parts), 1.0));
}

BoxPartition slabs_of(const Formulation& f, const std::vector<double>& weights) {
  return BoxPartition::slabs(f.grid.extent[1], cut(strips_along(f, 2), weights));
}
BoxPartition boxes_of(const Formulation& f, const PartCounts& counts) {
  return {even_cut(strips_along(f, 1), counts.columns), even_cut(strips_along(f, 2), counts.layers)};
}

Index largest_block(const Partition& partition) {
  Index most = 0;
  for (int p = 0; p < partition.parts(); ++p) most = std::max(most, partition.block(p).size());
  return most;
}

bool equal(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [&](double w) { return w == weights.front(); });
}

double seconds_of(const Formulation& f, const PartCounts& counts) {
  const PartSize part = largest_part(boxes_of(f, counts));
  const double slot = f.precision == Precision::fp64 ? 8 : 4;
  // Strips are read once more, but where the sweep before reduces them.
  const bool ahead = part.cut_y && !f.rows_vary() && !f.nu_varies();
  const double values = moved_values + (ahead ? 0 : (part.cut_y ? 1 : 0) + (part.cut_z ? 1 : 0));
  const double moved = slot * values * static_cast<double>(f.grid.extent[0] * part.rows * part.planes);
  const BoxCost sent = cost_of(f, counts);
  return moved / memory_rate + sent.bytes / network_rate + sent.messages * latency;
}

// The cheapest table of so many parts; no columns: there is none.
PartCounts cheapest(const Formulation& f, Index parts) {
  return cheapest_table<PartCounts>(parts, most_columns(f), most_layers(f),
                                    [&](const PartCounts& counts) { return seconds_of(f, counts); });
}

// No columns: parts do not fit.
PartCounts choose(const Formulation& f, const std::vector<double>& weights) {
  if (f.parts.columns > 0) return f.parts;
  const auto parts = static_cast<Index>(weights.size());
  const bool slabs_fit = parts <= most_layers(f);
  if (slabs_fit && (parts <= parts_in_slabs || !equal(weights))) return {1, parts};
  if (!equal(weights)) return {};
  const PartCounts best = cheapest(f, parts);
  if (slabs_fit && seconds_of(f, {1, parts}) < least_gain * seconds_of(f, best)) return {1, parts};
  return best;
}

std::string fault_of_wish(const Formulation& f, const std::vector<double>& weights) {
  const PartCounts& wish = f.parts;
  const auto parts = static_cast<Index>(weights.size());
  if (wish.columns * wish.layers != parts)
    return formatted("makes {} parts; this run has {}, one for each device of each rank", wish.columns * wish.layers,
                     parts);
  if (wish.columns > 1 && !why_slabs(f).empty()) return "cuts y, but " + why_slabs(f);
  if (wish.columns > 1 && !equal(weights)) return "needs devices of equal weights; others are served by slabs";
  if (wish.columns <= most_columns(f) && wish.layers <= most_layers(f)) return "";
  return formatted("lines have {} strips along y and {} along z, which parts hold as a whole", strips_along(f, 1).count,
                   most_layers(f));
}

std::string too_many_parts(const Formulation& f, const std::vector<double>& weights) {
  const auto parts = static_cast<Index>(weights.size());
  const Index layers = most_layers(f), columns = equal(weights) ? most_columns(f) : 1;
  if (columns == 1)
    return formatted(
        "{} parts, but lines along z have {} strips, which parts hold as a whole; use {} parts at most, "
        "or let z be the axis with most cells{}",
        parts, layers, layers, why_slabs(f).empty() ? "" : "; parts are not cut along y, since " + why_slabs(f));
  const Index best = largest_table(f, parts);
  const PartCounts counts = cheapest(f, best);
  return formatted(
      "{} parts, but lines have {} strips along y and {} along z, which parts hold as a whole: at most {} "
      "parts fit, best up to here {} ({} along y times {} along z)",
      parts, columns, layers, columns * layers, best, counts.columns, counts.layers);
}

}  // namespace

PartSize largest_part(const BoxPartition& boxes) {
  return {largest_block(boxes.y()), largest_block(boxes.z()), boxes.cut_along_y(), boxes.cut_along_z()};
}

// Ghosts of the last increment; both ends of a strip up, and what lies beside it down.
BoxCost cost_of(const Formulation& f, const PartCounts& counts) {
  const PartSize part = largest_part(boxes_of(f, counts));
  const std::size_t slot =
      with_precision(f.precision, [](auto numbers) { return sizeof(typename decltype(numbers)::Slot); });
  const double of_line = static_cast<double>(2 * slot + 4 * slot);
  const auto along = [&](Index parts, Index lines) {
    if (parts == 1) return BoxCost{};
    const double n = static_cast<double>(parts);
    const double turn = std::min(n - 1, 2 * std::sqrt(n)),
                 chunks = static_cast<double>(strips::chunks_of(lines, f.grid.extent[0]));
    return BoxCost{2 + 2 * chunks * turn, of_line * static_cast<double>(lines * f.grid.extent[0])};
  };
  const BoxCost y = along(counts.columns, part.planes), z = along(counts.layers, part.rows);
  return {y.messages + z.messages, y.bytes + z.bytes};
}

std::string why_slabs(const Formulation& f) {
  if (f.split.kind == Split::lod) return "solver.split is lod, for comparison";
  if (f.split.may_be_unsplit()) return "steps may be solved as a whole; with solver.split adi they may be cut";
  return "";
}

std::optional<BoxPartition> plan_boxes(const Formulation& f, const std::vector<double>& weights, Faults& faults) {
  if (f.parts.columns > 0) {
    if (const std::string fault = fault_of_wish(f, weights); !fault.empty()) {
      faults.at("fractional.grid.parts", fault);
      return std::nullopt;
    }
  }
  const PartCounts counts = choose(f, weights);
  if (counts.columns == 0 || (counts.columns == 1 && counts.layers > most_layers(f))) {
    faults.at("fractional.grid.cells", too_many_parts(f, weights));
    return std::nullopt;
  }
  return counts.columns > 1 ? boxes_of(f, counts) : slabs_of(f, weights);
}

BoxPartition boxes_of(const Formulation& f, const std::vector<double>& weights, const Partition& planned) {
  if (planned.parts() == static_cast<int>(weights.size())) return BoxPartition::slabs(f.grid.extent[1], planned);
  return boxes_of(f, choose(f, weights));
}

Index largest_table(const Formulation& f, Index most) {
  Index parts = std::min(most, most_columns(f) * most_layers(f));
  while (parts > 1 && cheapest(f, parts).columns == 0) --parts;
  return parts;
}

}  // namespace halocline::fractional
