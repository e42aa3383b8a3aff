#include "lib/problems/fractional/plan.hpp"

#include <algorithm>

#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"
#include "lib/base/option_texts.hpp"
#include "lib/linalg/strips/strips.hpp"
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
  if (block.time.horizon > 0) block.time.end = block.time.horizon;
  block.time.horizon = 0;
  block.time.steps = f.levels->steps();
  return digest(texts_of_options(block));
}

// Planes of every part, which begin where strips of lines along z begin; nothing, with a fault, when parts are too
// many.
std::optional<Partition> share_out(const UniformGrid& grid, const Shape& shape, Faults& faults) {
  const auto strips = strips::strip_layout(grid.extent[2]);
  const auto parts = static_cast<Index>(shape.weights.size());
  if (parts > strips.count) {
    faults.at(
        "fractional.grid.cells",
        formatted("{} parts, but lines along z have {} strips, which parts hold as a whole; use {} parts at most, "
                  "or let z be the axis with most cells",
                  parts, strips.count, strips.count));
    return std::nullopt;
  }
  const Partition of_strips(strips.count, 1, shape.weights);
  std::vector<Index> starts;
  for (int p = 0; p < of_strips.parts(); ++p) starts.push_back(strips.begin(of_strips.block(p).lo[0]));
  starts.push_back(grid.extent[2]);
  return Partition::from_starts(std::move(starts));
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

Index thickest(const Partition& partition) {
  Index most = 0;
  for (int p = 0; p < partition.parts(); ++p) most = std::max(most, partition.block(p).size());
  return most;
}

}  // namespace

Plan plan(const Options& base, const Shape& shape, Faults& faults) {
  Plan plan;
  const auto& options = static_cast<const FractionalOptions&>(base);
  const auto f = formulate(options, faults);
  if (!f) return plan;
  plan.end = f->levels->t(f->last);
  const auto partition = share_out(f->grid, shape, faults);
  if (!partition) return plan;
  const UniformGrid& g = f->grid;
  const MemoryModel memory(*f);
  check_exponentials(*f, memory, faults);
  plan.partition = *partition;
  plan.unknowns = g.unknowns();
  plan.bytes_per_part = memory.bytes(thickest(*partition));
  plan.smaller = smaller_text(*f);
  plan.message_bytes = partition->parts() > 1 ? memory.message_bytes() : 0;
  plan.work = memory.operations_per_node() * static_cast<double>(plan.unknowns);
  plan.traffic = memory.traffic_per_node() * static_cast<double>(g.extent[0] * g.extent[1] * thickest(*partition));
  plan.steps = static_cast<double>(f->last);
  plan.checkpoint_bytes = memory.checkpoint_bytes();
  plan.shape = formatted("{} x {} x {} nodes", g.extent[0], g.extent[1], g.extent[2]);
  plan.formulas = identity_text(options, *f);
  plan.grid = g.output_grid();
  plan.notes = f->notes;
  plan.notes.push_back(memory.text());
  return plan;
}

}  // namespace halocline::fractional
