#include "lib/problems/diffusion/boxes/boxes_of.hpp"

#include <algorithm>

#include "lib/base/format.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

namespace {

constexpr int most_steps = 8;  // of a sweep, by the model

// Why lines along x are not cut. Steppers of other equations take whole ones.
std::string reason_of_whole_lines(const Formulation& f) {
  if (f.method != TimeMethod::euler || f.equation == EquationKind::cahn_hilliard || f.terms.in_flux_form() ||
      f.one_of_several)
    return "is for Euler steps of one field with a constant D and no source";
  if (f.kernel == KernelChoice::tiled || f.kernel == KernelChoice::resident)
    return std::string("the kernel ") + word_for(f.kernel) + " does not take";
  return "";
}

}  // namespace

BoxNeeds needs_of(const Formulation& f, Index fields) {
  BoxNeeds needs;
  needs.grid = f.geometry;
  needs.around_y = f.walls.periodic(f.geometry.slow_axis() - 1);
  needs.around_z = f.walls.periodic(f.geometry.slow_axis());
  if (!needs.deep()) needs.whole_lines = reason_of_whole_lines(f);
  if (!needs.deep() && needs.may_be_boxes() && f.kernel != KernelChoice::fused)
    needs.steps = f.steps_per_sweep > 0                 ? std::min(f.steps_per_sweep, most_steps)
                  : f.stencil.kind == MaskKind::general ? 1
                                                        : most_steps / f.stencil.reach();
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
  const Index across = needs.deep() || boxes.cut_along_y() ? rows.most : needs.grid.extent[0];
  const Index rim = across + (boxes.cut_along_y() ? 2 * halo : 0);  // with its ghosts
  const Index line = needs.deep() ? needs.grid.extent[0] : rim;
  const Index pitch = slab_pitch(line, 64 / static_cast<Index>(needs.value_bytes), needs.value_bytes);
  forecast.cells = (planes.most + 2 * halo) * pitch * (needs.deep() ? rim : 1);
  if (boxes.parts() == 1) return forecast;
  const UniformGrid& g = needs.grid;
  const auto values = [&](Index count) { return static_cast<std::size_t>(count) * needs.value_bytes; };
  forecast.message_bytes = values(2 * needs.reach * needs.fields * (g.unknowns() / boxes.z().count()));
  if (!boxes.cut_along_y()) return forecast;
  const BoxCost cost = cost_of(needs, {boxes.columns(), boxes.layers()});
  const double in_slabs = static_cast<double>(values(2 * needs.reach * needs.fields * g.unknowns() / needs.along()));
  const std::string size = needs.deep() ? std::to_string(g.extent[0]) + " x " : std::string();
  forecast.notes.push_back(formatted(
      "boxes of {}{} x {} cells, {} along {} and {} along {}: {:.4g} kB a step to {} neighbors, of slabs {:.4g} kB",
      size, rows.most, planes.most, boxes.columns(), needs.deep() ? "y" : "x", boxes.layers(), needs.deep() ? "z" : "y",
      1e-3 * cost.bytes, static_cast<int>(cost.messages), 1e-3 * in_slabs));
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
