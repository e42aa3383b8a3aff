#include "lib/problems/fractional/memory.hpp"

#include <cmath>

#include "lib/base/format.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/problems/fractional/history/blocks.hpp"
#include "lib/problems/fractional/history/state_names.hpp"
#include "lib/problems/fractional/multigrid/multigrid_plan.hpp"

namespace halocline::fractional {

namespace {

constexpr Index pitch_multiple = 16;  // values

bool several_media(const Formulation& f) { return f.media.size() > 1; }

// Coefficients that differ from node to node.
Index varying_fields(const Formulation& f) {
  Index fields = 0;
  const auto varies = [](const Coefficient& one) { return one.constant() ? 0 : FormulaField::fields(*one.formula); };
  fields += varies(f.diffusivity) + varies(f.sigma) + varies(f.reaction) + varies(f.source);
  for (const Coefficient& one : f.velocity) fields += varies(one);
  if (several_media(f)) fields += varies(f.source) + varies(f.source_slope);  // at the time of each
  if (f.nu_varies() || f.nonlinear()) fields += 2;                            // mu, nu
  return fields;
}

// Fields of the solution: vectors of steps that are solved as a whole, right-hand side, solution, and those of the
// method; or of the probe.
Index vectors(const Formulation& f) {
  if (f.split.kind == Split::lod) return 1;  // source and history
  if (f.split.kind == Split::adi) return f.needs_probe() ? 3 : 0;
  return 2 + (f.moving() ? 7 : 5);
}

}  // namespace

double MemoryModel::field_value() const {
  return with_precision(f_.precision, [](auto numbers) { return sizeof(typename decltype(numbers)::Field) / 8.0; });
}
double MemoryModel::slot_value() const {
  return with_precision(f_.precision, [](auto numbers) { return sizeof(typename decltype(numbers)::Slot) / 8.0; });
}
double MemoryModel::state_value() const {
  if (halves()) return 2 / 8.0;
  return series() ? f_.history.variant.state_bytes() / 8.0 : slot_value();
}
double MemoryModel::history_values() const {
  if (direct()) return slot_value() * (std::ceil(steps() / f_.history.block) * f_.history.block + 1);  // whole blocks
  if (series()) return 2 + terms_ * state_value();
  // Of halves all but the sub-block under way and the increment before it.
  if (halves())
    return state_value() * (f_.history.block + 1 + terms_) + slot_value() * (sub_block(f_.history.block) + 1);
  return slot_value() * (f_.history.block + 1 + terms_);
}

MemoryModel::MemoryModel(const Formulation& formulation) : f_(formulation), varying_(varying_fields(formulation)) {
  const UniformGrid& g = f_.grid;
  pitch_ = (g.extent[0] + pitch_multiple - 1) / pitch_multiple * pitch_multiple;
  if (series()) terms_ = f_.history.terms;
  if (f_.history.engine == Engine::exponentials) {
    const Weights weights = f_.weights(f_.media);
    const HistoryKernel kernel(weights, f_.history.block, f_.levels->s(f_.levels->steps()), f_.history.eps);
    terms_ = kernel.terms();
    kernel_error_ = kernel.error();
  }
  const double medium = several_media(f_) ? 1.0 / 8 : 0;         // a byte
  const double shown = f_.precision == Precision::fp32 ? 1 : 0;  // c in double, for output
  fields_ = field_value() + shown + static_cast<double>(varying_ + vectors(f_)) + medium + history_values();
}

std::size_t MemoryModel::bytes(const PartSize& part) const {
  const Index lines = (part.rows + (part.cut_y ? 2 : 0)) * (part.planes + 2);
  const double fields = sizeof(double) * fields_ * static_cast<double>(pitch_ * lines);
  return static_cast<std::size_t>(fields + (f_.split.may_be_unsplit() ? multigrid_bytes(f_, part.planes) : 0));
}

std::size_t MemoryModel::message_bytes(const PartSize& part) const {
  // Of the increment that c grew by, to either side; without a prediction of c.
  const double ghosts = 2 * (f_.extrapolated ? slot_value() : field_value()), ends = 2 * 2 * slot_value();
  const Index lines = (part.cut_y ? part.planes : 0) + (part.cut_z ? part.rows : 0);
  return static_cast<std::size_t>(sizeof(double) * (ghosts + ends) * static_cast<double>(pitch_ * lines));
}

double MemoryModel::operations_per_node() const {
  const double stencil = 40, sweeps = 3 * 9;
  const double history = direct() ? steps()  // on average
                                  : 4.0 * terms_ + f_.history.block;
  return stencil + sweeps + history;
}

double MemoryModel::traffic_per_node() const {
  // Right side with the sweep along x; along y; along z in three passes, with the update; increments of the block.
  // Values of slots; c is read twice and written once.
  const double sweeps = (38 + 16 + 52) / 8.0 - 3, near = 24 / 8.0, block = f_.history.block;
  // Halves of slots are written and read twice, and their floats are read for their size and to be kept.
  const double slots = halves() ? 4 * state_value() + 3 * slot_value() : 2 * slot_value();
  const double far = (direct() ? 0.5 * steps() / block * slot_value() : slots) + 2 * terms_ * state_value() / block;
  const double coefficients = 2.0 * static_cast<double>(varying_);
  return sizeof(double) * (3 * field_value() + slot_value() * (sweeps + near) + far + coefficients);
}

double MemoryModel::checkpoint_bytes() const {
  // Fields are saved as doubles, states of the series and halves as they are.
  double fields = direct() ? 1 + steps() : 2 + f_.history.block + terms_ * (series() ? state_value() : 1);
  if (halves()) {
    const int sub = sub_block(f_.history.block);
    fields = 1 + sub + state_value() * (1 + f_.history.block - sub + terms_);
  }
  return sizeof(double) * fields * static_cast<double>(f_.grid.unknowns());
}

std::string MemoryModel::text() const {
  if (direct()) return formatted("history by sums over all increments, {} fields", f_.levels->steps());
  if (series()) return series_text(terms_);
  return exponentials_text(terms_, kernel_error_, f_.history.block);
}

}  // namespace halocline::fractional
