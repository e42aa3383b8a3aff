// What a step moves and sends, by docs/performance/fractional.md: steps by sweeps.
#include "lib/problems/costs/families.hpp"

#include "lib/problems/fractional/boxes/part_boxes.hpp"
#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/memory.hpp"

namespace halocline {
namespace fractional {
namespace {

// Bytes a node and step, as kernels move them; of place: with D, and what elimination leaves of it, read beside.
struct Bytes {
  double right_side, row_sweep, last_sweep, near, states;
};
Bytes bytes_of(const Formulation& f) {
  Bytes bytes = f.precision == Precision::fp64 ? Bytes{46, 16, 40, 24, 8} : Bytes{27, 8, 20, 12, 4};
  if (f.precision == Precision::fp16_history) bytes.states = 2;
  if (!f.rows_vary()) return bytes;
  for (double* one : {&bytes.right_side, &bytes.row_sweep, &bytes.last_sweep}) *one += 8;
  return bytes;
}

}  // namespace

std::optional<Cost> cost(const Options& base, const Plan& plan, const CostSetting& setting) {
  const Formulation f = formulate(static_cast<const FractionalOptions&>(base));
  const bool steps_by_sweeps = f.split.kind == Split::adi || f.split.kind == Split::automatic;
  if (!steps_by_sweeps || f.history.engine == Engine::series || f.media.size() > 1) return std::nullopt;
  const MemoryModel memory(f);
  const std::vector<double> weights(static_cast<std::size_t>(setting.parts), 1.0);
  const PartSize part = largest_part(boxes_of(f, weights, plan.partition));
  const double nodes = static_cast<double>(f.grid.extent[0] * part.rows * part.planes);
  const auto block = static_cast<double>(f.history.block), terms = static_cast<double>(memory.terms());
  const auto [right_side, row_sweep, last_sweep, near, states] = bytes_of(f);
  const std::string numbers = f.precision == Precision::fp64           ? ""
                              : f.precision == Precision::fp16_history ? " in halves"
                                                                       : " in floats";
  const std::string place = f.rows_vary() ? " of place" : "";
  const double history = f.history.engine == Engine::direct
                             ? states * static_cast<double>(f.last) / 2 / block  // on average over the run
                             : 2 * states * (terms + block) / block;
  Cost cost;
  cost.kernels = {{"right side" + place + numbers, 1, right_side * nodes, 0},
                  {"sweep x" + place + numbers, 1, row_sweep * nodes, 0},
                  {"sweep y" + place + numbers, 1, row_sweep * nodes, 0},
                  {"sweep z" + place + numbers, 1, last_sweep * nodes, 0},
                  {"near pass" + numbers, 1, near * nodes, 0},
                  {"flush" + numbers, 1, history * nodes, 0},
                  {"sides", 6, 0, 0}};
  cost.units = static_cast<double>(f.last);
  if (f.split.kind == Split::automatic)
    cost.assumed = "all steps by sweeps; a step that is solved as a whole takes longer";
  if (setting.parts == 1) return cost;
  constexpr double exchanges = 3;  // ghosts of c and its increment, ends of strips there and back
  const int neighbors = (part.cut_y ? 2 : 0) + (part.cut_z ? 2 : 0);
  cost.halos = {{exchanges, static_cast<double>(memory.message_bytes(part)) / neighbors / exchanges, neighbors, false}};
  return cost;
}

// Boxes have a table of columns and layers, which is not there for every number.
Index most_parts(const Options& base, Index most) {
  const Formulation f = formulate(static_cast<const FractionalOptions&>(base));
  return f.parts.columns > 0 || !why_slabs(f).empty() ? 0 : largest_table(f, most);
}

}  // namespace fractional

Index fractional_parts(const Options& options, Index most) { return fractional::most_parts(options, most); }

std::optional<Cost> fractional_cost(const Options& options, const Plan& plan, const CostSetting& setting) {
  return fractional::cost(options, plan, setting);
}

}  // namespace halocline
