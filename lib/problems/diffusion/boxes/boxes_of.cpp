#include "lib/problems/diffusion/boxes/boxes_of.hpp"

#include <algorithm>

#include "lib/base/format.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

BoxNeeds needs_of(const Formulation& f, Index fields) {
  BoxNeeds needs;
  needs.grid = f.geometry;
  needs.around_y = f.walls.periodic(1);
  needs.around_z = f.geometry.dimensions == 3 && f.walls.periodic(2);
  needs.reach = halo_rows(f, 1);
  needs.least = std::max<Index>(1, halo_rows(f, std::max(1, f.steps_per_sweep)));
  if (f.geometry.layout == GridLayout::ringed) ++needs.least;  // parts hold first points, and not their neighbors'
  needs.fields = fields;
  needs.value_bytes = f.value_bytes;
  return needs;
}

BoxPartition plan_boxes(const BoxNeeds& needs, const Formulation& f, const std::vector<double>& weights,
                        Faults& faults) {
  const std::string fault = fault_of_wish(needs, weights, f.parts);
  if (fault.empty()) return choose_boxes(needs, weights, f.parts);
  faults.at("diffusion.grid.parts", fault);
  return choose_boxes(needs, weights, {});
}

namespace {

struct Sizes {
  Index least, most;
};
Sizes sizes_of(const Partition& partition) {
  Sizes sizes{partition.count(), 0};
  for (int n = 0; n < partition.parts(); ++n) {
    sizes.least = std::min(sizes.least, partition.block(n).size());
    sizes.most = std::max(sizes.most, partition.block(n).size());
  }
  return sizes;
}

}  // namespace

BoxForecast forecast_of(const BoxNeeds& needs, const BoxPartition& boxes, Index halo) {
  const Sizes rows = sizes_of(boxes.y()), planes = sizes_of(boxes.z());
  BoxForecast forecast;
  forecast.thinnest = planes.least;
  forecast.lines = (planes.most + 2 * halo) * (rows.most + (boxes.cut_along_y() ? 2 * halo : 0));
  if (boxes.parts() == 1) return forecast;
  const UniformGrid& g = needs.grid;
  const auto values = [&](Index count) { return static_cast<std::size_t>(count) * needs.value_bytes; };
  forecast.message_bytes = values(2 * needs.reach * needs.fields * (g.unknowns() / boxes.z().count()));
  if (!boxes.cut_along_y()) return forecast;
  const BoxCost cost = cost_of(needs, {boxes.columns(), boxes.layers()});
  const double in_slabs = static_cast<double>(values(2 * needs.reach * needs.fields * g.extent[0] * g.extent[1]));
  forecast.notes.push_back(formatted(
      "boxes of {} x {} x {} cells, {} along y and {} along z: {:.4g} kB a step to {} neighbors, of slabs {:.4g} kB",
      g.extent[0], rows.most, planes.most, boxes.columns(), boxes.layers(), 1e-3 * cost.bytes,
      static_cast<int>(cost.messages), 1e-3 * in_slabs));
  forecast.message_bytes = static_cast<std::size_t>(cost.bytes);
  return forecast;
}

BoxPartition boxes_of(const Context& context, const Formulation& f, Index fields) {
  const UniformGrid& g = f.geometry;
  if (context.partition.parts() == context.team.total_parts())
    return BoxPartition::slabs(g.dimensions == 3 ? g.extent[1] : 1, context.partition);
  return choose_boxes(needs_of(f, fields), context.shape.weights, f.parts);
}

}  // namespace halocline::diffusion
