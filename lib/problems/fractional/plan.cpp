#include "lib/problems/fractional/plan.hpp"

#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"
#include "lib/base/option_texts.hpp"
#include "lib/problems/fractional/boxes/part_boxes.hpp"
#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"
#include "lib/problems/fractional/memory.hpp"

namespace halocline::fractional {

namespace {

// Everything that decides what is solved up to any time and what a checkpoint holds; tolerances and limits of steps may
// change. The horizon is among it, since levels and exponentials depend on it, but not the end.
std::string identity_text(const FractionalOptions& options, const Formulation& f) {
  BlockOptions block = options.block;
  block.history.engine = f.history.engine;
  block.history.vector = 1;  // matters for no number
  block.solver.tol = block.solver.split_error = 0;
  block.solver.maxit = 0;
  block.grid.parts.clear();
  if (block.time.horizon > 0) block.time.end = block.time.horizon;
  block.time.horizon = 0;
  block.time.steps = f.levels->steps();
  return digest(texts_of_options(block));
}

// Passes over the history have room for so many exponentials.
void check_exponentials(const Formulation& f, const MemoryModel& memory, Faults& faults) {
  if (f.history.engine != Engine::exponentials || memory.terms() <= most_states) return;
  faults.at("fractional.history.eps",
            formatted("{} asks for {} exponentials, and there are {} at most: a larger eps takes fewer, and so does a "
                      "longer first step (a smaller time.grading, mesh graded_start) or a larger history.block",
                      brief_text(f.history.eps), memory.terms(), most_states));
}

// What else would do with less memory.
std::string smaller_text(const Formulation& f) {
  std::string text;
  const auto add = [&](const char* key) { text += (text.empty() ? "" : " or ") + std::string(key); };
  const bool published = f.split.kind == Split::lod || f.history.engine == Engine::series || !f.history.variant.plain();
  if (f.precision == Precision::fp64 && !published) add("precision: mixed");
  if (f.history.engine == Engine::exponentials) add("a larger history.eps");
  return text;
}

// What a plan tells of boxes.
std::string text_of(const Formulation& f, const BoxPartition& boxes) {
  const PartSize part = largest_part(boxes);
  const BoxCost sent = cost_of(f, {boxes.columns(), boxes.layers()});
  return formatted("boxes of {} x {} x {} nodes, {} along y and {} along z: {:.4g} kB a step to others",
                   f.grid.extent[0], part.rows, part.planes, boxes.columns(), boxes.layers(), 1e-3 * sent.bytes);
}

}  // namespace

Plan plan(const Options& base, const Shape& shape, Faults& faults) {
  Plan plan;
  const auto& options = static_cast<const FractionalOptions&>(base);
  const auto f = formulate(options, faults);
  if (!f) return plan;
  plan.end = f->levels->t(f->last);
  const auto boxes = plan_boxes(*f, shape.weights, faults);
  if (!boxes) return plan;
  const UniformGrid& g = f->grid;
  const MemoryModel memory(*f);
  check_exponentials(*f, memory, faults);
  const PartSize part = largest_part(*boxes);
  if (!boxes->cut_along_y()) plan.partition = boxes->z();
  plan.in_slabs = !boxes->cut_along_y();
  plan.unknowns = g.unknowns();
  plan.bytes_per_part = memory.bytes(part);
  plan.smaller = smaller_text(*f);
  plan.message_bytes = memory.message_bytes(part);
  plan.work = memory.operations_per_node() * static_cast<double>(plan.unknowns);
  plan.traffic = memory.traffic_per_node() * static_cast<double>(g.extent[0] * part.rows * part.planes);
  plan.steps = static_cast<double>(f->last);
  plan.checkpoint_bytes = memory.checkpoint_bytes();
  plan.shape = formatted("{} x {} x {} nodes", g.extent[0], g.extent[1], g.extent[2]);
  plan.formulas = identity_text(options, *f);
  plan.grid = g.output_grid();
  plan.notes = f->notes;
  plan.notes.push_back(memory.text());
  if (boxes->cut_along_y()) plan.notes.push_back(text_of(*f, *boxes));
  return plan;
}

}  // namespace halocline::fractional
