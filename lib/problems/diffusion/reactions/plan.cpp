#include <algorithm>

#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/problems/diffusion/boxes/boxes_of.hpp"
#include "lib/problems/diffusion/plan.hpp"
#include "lib/problems/diffusion/reactions/formulation.hpp"
#include "lib/problems/diffusion/reactions/problem.hpp"

namespace halocline::diffusion {

namespace {

// Everything that decides what is solved, but the end of time: a run may be continued beyond it.
std::string identity_text(const BlockOptions& block, const Reactions& r) {
  std::string text = names_text(block.names) + r.data.identity + walls_text(block.walls);
  for (const ReactingField& field : r.fields) {
    const FieldEquationOptions& given = *block.equations.of(field.name);
    for (const std::string& part : {field.name, given.diffusivity.text, given.source.text, given.initial.text,
                                    std::to_string(place_of(given.face_mean))})
      text += part + "\n";
    if (given.has_walls) text += walls_text(given.walls);
  }
  return digest(text + grid_text(r.geometry(), r.stencil()));
}

}  // namespace

Plan plan_reactions(const DiffusionOptions& options, const Shape& shape, Faults& faults) {
  Plan plan;
  plan.fields = options.block.fields;
  const auto r = formulate_reactions(options, faults);
  if (!r) return plan;
  plan.end = r->end;
  const UniformGrid& g = r->geometry();
  try {
    const Index count = r->count();
    const BoxNeeds needs = needs_of(r->fields.front().alone, count);
    const BoxPartition boxes = plan_boxes(needs, r->fields.front().alone, shape.weights, faults);
    if (!boxes.cut_along_y()) plan.partition = boxes.z();  // rows or planes
    plan.in_slabs = !boxes.cut_along_y();
    const BoxForecast forecast = forecast_of(needs, boxes, 1);
    if (boxes.cut_along_z() && forecast.thinnest < 1)
      faults.at("diffusion.grid.cells", "a part has none; use fewer parts");
    Index formulas = 0;
    for (const ReactingField& field : r->fields)
      if (field.alone.terms.diffusivity) formulas += FormulaField::fields(*field.alone.terms.diffusivity);
    plan.unknowns = g.unknowns() * count;
    plan.bytes_per_part =
        static_cast<std::size_t>((2 * count + formulas) * forecast.cells) * sizeof(double) + r->data.bytes;
    plan.notes = r->data.notes;
    plan.notes.insert(plan.notes.end(), forecast.notes.begin(), forecast.notes.end());
    plan.message_bytes = forecast.message_bytes;
    plan.steps = static_cast<double>(r->steps);
    plan.work = 2.0 * static_cast<double>(r->stencil().points() * plan.unknowns) +
                static_cast<double>(r->sources.instructions().size()) * static_cast<double>(g.unknowns());
    plan.shape = std::to_string(g.extent[0]) + " x " + std::to_string(g.extent[1]) +
                 (g.dimensions == 3 ? " x " + std::to_string(g.extent[2]) : "") + " cells, fields";
    for (const std::string& name : options.block.fields) plan.shape += " " + name;
    plan.formulas = identity_text(options.block, *r);
    plan.grid = g.output_grid();
  } catch (const DeckError& error) {
    faults.at("diffusion.grid.cells", error.what());
  }
  return plan;
}

}  // namespace halocline::diffusion
