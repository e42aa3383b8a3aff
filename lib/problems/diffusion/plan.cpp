#include "lib/problems/diffusion/plan.hpp"

#include <algorithm>

#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/problems/diffusion/boxes/boxes_of.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/reactions/problem.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

namespace {

// Everything that decides what is solved, but the end of time: a run may be continued beyond it.
std::string identity_text(const DiffusionOptions& options, const Formulation& f) {
  const BlockOptions& block = options.block;
  std::string text = names_text(block.names) + f.data.identity;
  const auto add = [&text](const std::string& part) { text += part + "\n"; };
  add(block.equation.diffusivity.text);
  add(block.equation.initial.text);
  add(block.equation.source.text);
  for (const double value : {block.equation.kappa, f.terms.mobility, block.equation.rho}) add(exact_text(value));
  if (f.terms.varying_mobility) add(block.equation.mobility.text);
  if (block.equation.free_energy.given()) add(block.equation.free_energy.text);
  for (const double value : block.equation.wells) add(exact_text(value));
  const bool mean_counts = f.equation != EquationKind::cahn_hilliard || f.terms.varying_mobility;
  add(std::to_string(place_of(mean_counts ? block.equation.face_mean : MeanChoice::harmonic)));
  text += walls_text(block.walls);
  add(std::to_string(place_of(block.equation.kind)) + " " + std::to_string(place_of(block.grid.layout)) + " " +
      std::to_string(place_of(block.precision)));
  if (f.method != TimeMethod::euler) add(std::string(word_for(f.method)) + (f.tolerance > 0 ? " by errors" : ""));
  return digest(text + grid_text(f.geometry, f.stencil));
}

// Fields in memory beside the old state and the new one.
Index formula_fields(const Formulation& f) {
  Index fields = 0;
  for (const auto* program : {&f.terms.diffusivity, &f.terms.source, &f.terms.decay, &f.terms.varying_mobility})
    if (*program) fields += FormulaField::fields(**program);
  if (f.equation == EquationKind::cahn_hilliard) ++fields;  // the potential
  return fields;
}

// What is missing where several fields are not asked for, or half.
bool check_one_field(const BlockOptions& block, Faults& faults) {
  if (block.equations.size() > 0) {
    faults.at("diffusion.equations", "is for several fields, which diffusion.fields names; it is missing");
  } else if (!block.has_equation) {
    faults.at("diffusion.equation", "missing; expected a block: What is solved.");
  }
  return block.equations.size() == 0 && block.has_equation;
}

}  // namespace

std::string names_text(const Definitions& names) {
  std::string text;
  for (const auto& [name, formula] : names.constants) text += name + " = " + formula.text + "\n";
  for (const Formula& formula : names.definitions) text += formula.text + "\n";
  return text;
}

std::string walls_text(const WallsOptions& walls) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += part + "\n"; };
  for (const auto& side : walls.sides)
    for (const SegmentOptions& piece : side.blocks) {
      for (const NamedNumbers* bound : {&piece.from, &piece.to})
        for (const auto& [name, value] : bound->entries) add(name + exact_text(value));
      add(std::to_string(place_of(piece.kind)) + " " + piece.value.text + " " + exact_text(piece.transfer));
    }
  if (walls.rest.given)
    add(std::to_string(place_of(walls.rest.kind)) + " " + walls.rest.value.text + " " +
        exact_text(walls.rest.transfer));
  return text;
}

std::string grid_text(const UniformGrid& grid, const Stencil& stencil) {
  std::string text;
  for (const double w : stencil.weights) text += exact_text(w) + "\n";
  for (int axis = 0; axis < 3; ++axis) text += exact_text(grid.spacing[axis]) + exact_text(grid.origin[axis]) + "\n";
  return text;
}

// Ghosts for as many steps per sweep as devices choose at most, where that is left to them: part of the memory.
Index ghosts_of_auto(const Formulation& f, Index thinnest) {
  const bool one = f.steps_per_sweep > 0 || f.kernel == KernelChoice::fused || f.method != TimeMethod::euler;
  if (one || f.stencil.kind == MaskKind::general) return 0;
  constexpr int in_planes = 8, in_boxes = 4;
  return std::min<Index>(thinnest, halo_rows(f, f.geometry.dimensions == 2 ? in_planes / f.stencil.reach() : in_boxes));
}

Plan plan(const Options& base, const Shape& shape, Faults& faults) {
  Plan plan;
  const auto& options = static_cast<const DiffusionOptions&>(base);
  if (!options.block.fields.empty()) return plan_reactions(options, shape, faults);
  if (!check_one_field(options.block, faults)) return plan;
  const auto f = formulate(options, faults);
  if (!f) return plan;
  plan.end = f->end;
  const UniformGrid& g = f->geometry;
  const char* grid = g.layout == GridLayout::cells ? "diffusion.grid.cells" : "diffusion.grid.points";
  try {
    const BoxNeeds needs = needs_of(*f);
    const BoxPartition boxes = plan_boxes(needs, *f, shape.weights, faults);
    if (!boxes.cut_along_y()) plan.partition = boxes.z();  // rows or planes
    plan.in_slabs = !boxes.cut_along_y();
    const Index halo = halo_rows(*f, std::max(1, f->steps_per_sweep));
    const BoxForecast forecast = forecast_of(needs, boxes, halo);
    const Index cells = forecast_of(needs, boxes, std::max(halo, ghosts_of_auto(*f, forecast.thinnest))).cells;
    if (boxes.cut_along_z() && forecast.thinnest < halo)
      faults.at(f->steps_per_sweep > 1 ? "diffusion.time.steps_per_sweep" : grid,
                std::string("a part has ") + std::to_string(forecast.thinnest) +
                    (g.dimensions == 2 ? " rows" : " planes") + ", the halo of neighbors " + std::to_string(halo) +
                    ": radius of the mask times steps per sweep; use fewer parts or fewer steps per sweep");
    plan.unknowns = g.unknowns();
    const Index states = f->method == TimeMethod::euler ? 2 : 4;
    plan.bytes_per_part =
        static_cast<std::size_t>((states + formula_fields(*f)) * cells) * f->value_bytes + f->data.bytes;
    plan.notes = f->data.notes;
    plan.notes.insert(plan.notes.end(), forecast.notes.begin(), forecast.notes.end());
    plan.message_bytes = forecast.message_bytes;
    plan.steps = static_cast<double>(f->steps);
    plan.work = 2.0 * static_cast<double>(f->stencil.points()) * static_cast<double>(plan.unknowns);
    plan.shape = std::to_string(g.extent[0]) + " x " + std::to_string(g.extent[1]) +
                 (g.dimensions == 3 ? " x " + std::to_string(g.extent[2]) : "") + " cells";
    plan.formulas = identity_text(options, *f);
    plan.grid = g.output_grid();
  } catch (const DeckError& error) {
    if (f->steps_per_sweep > 1)
      faults.at("diffusion.time.steps_per_sweep",
                std::string(error.what()) + ", or take fewer steps per sweep, whose halo a part must hold");
    else
      faults.at(grid, error.what());
  }
  return plan;
}

}  // namespace halocline::diffusion
