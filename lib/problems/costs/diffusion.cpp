// What a step moves and sends, by docs/performance/diffusion.md: explicit steps of one field.
#include "lib/problems/costs/families.hpp"

#include <algorithm>

#include "lib/problems/diffusion/boxes/boxes_of.hpp"
#include "lib/problems/diffusion/boxes/choose_boxes.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/host/blocking.hpp"
#include "lib/problems/diffusion/reactions/formulation.hpp"

namespace halocline {
namespace diffusion {
namespace {

const char* name_of(MaskKind kind) {
  switch (kind) {
    case MaskKind::star5:
    case MaskKind::star5_xy:
      return "5pt";
    case MaskKind::star7:
      return "7pt";
    case MaskKind::box9:
    case MaskKind::box9_xy:
      return "9pt";
    case MaskKind::box19:
      return "19pt";
    case MaskKind::box27:
      return "27pt";
    case MaskKind::cross9:
      return "cross4";
    case MaskKind::cross13:
      return "cross4 in space";
    case MaskKind::general:
      break;
  }
  return "own mask";
}

// The largest part, a slab, or a box of some rows along y, in 2D of some columns.
struct Slab {
  const Formulation& f;
  double thickness;
  int parts;
  std::size_t value;
  BoxCounts counts = {};                                                             // of boxes
  double rows = static_cast<double>(f.geometry.extent[f.geometry.slow_axis() - 1]);  // along y, in 2D columns

  bool boxed() const { return counts.columns > 1; }

  bool deep() const { return f.geometry.dimensions == 3; }
  double row() const { return (deep() ? static_cast<double>(f.geometry.extent[0]) : 1) * rows; }
  double cells() const { return thickness * row(); }
  double sides() const {  // cells along walls, by what they cost a GPU
    const double along_x = static_cast<double>(f.geometry.extent[0]);
    const double sides = boxed() ? 1 : 2;
    const double around = deep() ? 2 * rows + sides * along_x : sides;
    const bool cut = boxed() ? counts.layers > 1 : parts > 1;
    const double at_ends = (cut ? 1 : 2) * row();
    if (deep() || f.stencil.reach() > 1 || f.geometry.layout != GridLayout::cells) return thickness * around + at_ends;
    // In a plane strips make the rows beyond walls across y, for a small part of what tiles at walls across x cost.
    return thickness * around + 0.07 * at_ends;
  }
};

// Steps of a pass of the GPU's kernels, where the deck does not say.
int steps_on_gpu(MaskKind kind) {
  switch (kind) {
    case MaskKind::star5:
    case MaskKind::star5_xy:
      return 8;
    case MaskKind::box9:
    case MaskKind::box9_xy:
      return 5;
    case MaskKind::cross9:
      return 4;
    case MaskKind::star7:
      return 3;
    default:
      return 1;
  }
}

int steps_of_pass(const Slab& slab, bool gpu) {
  const Formulation& f = slab.f;
  if (f.kernel == KernelChoice::fused || f.kernel == KernelChoice::tiled) return 1;
  int steps = f.steps_per_sweep;
  const auto thinnest = static_cast<Index>(slab.boxed() ? std::min(slab.thickness, slab.rows) : slab.thickness);
  if (gpu) {
    const int most = steps_on_gpu(f.stencil.kind);
    steps = steps > 0 ? std::min(steps, most) : most;
  } else if (steps == 0) {
    SweepShape shape;
    shape.dimensions = f.geometry.dimensions;
    std::copy(f.geometry.extent, f.geometry.extent + 3, shape.extent);
    shape.extent[f.geometry.slow_axis()] = static_cast<Index>(slab.thickness);
    if (slab.boxed()) shape.extent[f.geometry.slow_axis() - 1] = static_cast<Index>(slab.rows);
    shape.radius = f.stencil.reach();
    shape.kind = f.stencil.kind;
    shape.open = slab.parts > 1;
    shape.thinnest = thinnest;
    shape.value_bytes = slab.value;
    steps = choose_blocking(shape, {2 << 20, 32 << 20}).steps;
  }
  return std::max(1, std::min(steps, static_cast<int>(thinnest / f.stencil.radius[f.geometry.slow_axis()])));
}

// A part without neighbors that stays in registers: what the chip holds of doubles.
bool stays_on_chip(const Slab& slab, bool gpu) {
  constexpr double most_bytes = 8.0 * 1024 * 1024;
  const Formulation& f = slab.f;
  const auto steps = steps_on_gpu(f.stencil.kind);
  return gpu && slab.parts == 1 && !slab.deep() && (steps == 8 || steps == 5) && !f.walls.moving() &&
         (f.kernel == KernelChoice::automatic || f.kernel == KernelChoice::resident) &&
         slab.cells() * static_cast<double>(slab.value) <= most_bytes;
}

// An exchange of `reach` rows (planes). Boxes send to four neighbors, and little across edges.
HaloCost halo_cost(const Slab& slab, double calls, Index reach, bool gpu) {
  if (!slab.boxed()) {
    const double bytes = static_cast<double>(reach) * slab.row() * static_cast<double>(slab.value);
    return {calls, bytes, 2, gpu, gpu};
  }
  BoxNeeds needs = needs_of(slab.f);
  needs.reach = reach;
  needs.steps = 1;
  // In a plane little but rows is to be packed, and inner cells take longer than messages.
  const bool beside = gpu && !slab.deep();
  return {calls, cost_of(needs, slab.counts).bytes / 4, 4, gpu, beside};
}

Cost mask_cost(const Slab& slab, bool gpu) {
  const Formulation& f = slab.f;
  const double both = 2.0 * static_cast<double>(slab.value);  // read and written
  const std::string precision = slab.value == 4 ? " fp32" : "";
  Cost cost;
  if (stays_on_chip(slab, gpu)) {
    cost.kernels = {{"resident" + precision, 1, both * slab.cells(), 0}};
    return cost;
  }
  const int steps = steps_of_pass(slab, gpu);
  const double passes = 1.0 / steps;
  const std::string kernel = (steps > 1 ? "blocked " : "fused ") + std::string(name_of(f.stencil.kind));
  cost.kernels = {{kernel + precision, passes, passes * both * slab.cells(), 0}};
  // What walls cost grows with the steps of a pass.
  if (gpu) cost.kernels.push_back({slab.deep() ? "walls in space" : "walls", 0, both * slab.sides(), 0});
  cost.halos = {halo_cost(slab, passes, static_cast<Index>(f.stencil.radius[f.geometry.slow_axis()]) * steps, gpu)};
  return cost;
}

// Diffusivities that vary, sources; Cahn-Hilliard.
Cost one_step_cost(const Slab& slab, bool gpu) {
  const Formulation& f = slab.f;
  const bool spinodal = f.equation == EquationKind::cahn_hilliard;
  const bool long_formulas = f.terms.free_energy || f.terms.varying_mobility;
  const char* kernel = spinodal ? "spinodal" : f.terms.harmonic ? "flux, harmonic" : "flux, arithmetic";
  const double bytes = spinodal ? (long_formulas ? 64 : 16) : !gpu ? 16 : f.terms.source ? 32 : 24;
  Cost cost;
  cost.kernels = {{std::string(kernel) + (slab.deep() ? " in space" : ""), 1,
                   bytes * slab.cells() * static_cast<double>(slab.value) / 8, 0}};
  cost.halos = {halo_cost(slab, 1, spinodal ? 2 : 1, gpu)};
  return cost;
}

}  // namespace

std::optional<Cost> cost(const Options& base, const Plan& plan, const CostSetting& setting) {
  const auto& options = static_cast<const DiffusionOptions&>(base);
  if (!options.block.fields.empty()) return std::nullopt;
  const Formulation f = formulate(options);
  if (f.method != TimeMethod::euler) return std::nullopt;
  Slab slab{f, largest_share(plan.partition), setting.parts,
            static_cast<std::size_t>(options.block.precision == Precision::fp64 ? 8 : 4)};
  if (plan.partition.parts() == 0) {
    const std::vector<double> weights(static_cast<std::size_t>(setting.parts), 1.0);
    const BoxPartition boxes = choose_boxes(needs_of(f), weights, f.parts);
    slab.counts = {boxes.columns(), boxes.layers()};
    slab.thickness = largest_share(boxes.z());
    if (slab.deep() || boxes.cut_along_y()) slab.rows = largest_share(boxes.y());
  }
  const bool masks = f.equation == EquationKind::diffusion && !f.terms.in_flux_form();
  Cost cost = masks ? mask_cost(slab, setting.gpu) : one_step_cost(slab, setting.gpu);
  if (setting.parts == 1) cost.halos.clear();
  cost.units = static_cast<double>(f.steps);
  return cost;
}

// Boxes have a table of columns and layers, which is not there for every number.
Index largest_table(const Options& base, Index most) {
  const auto& options = static_cast<const DiffusionOptions&>(base);
  const Formulation f =
      options.block.fields.empty() ? formulate(options) : formulate_reactions(options).fields.front().alone;
  const BoxNeeds needs = needs_of(f);
  const bool one_column = needs.across() < needs.chunk() + needs.least;
  if (!needs.may_be_boxes() || one_column || f.parts.columns > 0) return 0;
  Index parts = std::min(most, needs.across() * needs.along());
  while (parts > 1 && !fits(needs, parts)) --parts;
  return parts;
}

}  // namespace diffusion

Index diffusion_parts(const Options& options, Index most) { return diffusion::largest_table(options, most); }

std::optional<Cost> diffusion_cost(const Options& options, const Plan& plan, const CostSetting& setting) {
  return diffusion::cost(options, plan, setting);
}

}  // namespace halocline
