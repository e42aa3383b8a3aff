#include "lib/problems/diffusion/steppers/field_stepper.hpp"

#include <algorithm>

#include "lib/fields/measure.hpp"
#include "lib/problems/diffusion/boxes/boxes_of.hpp"
#include "lib/problems/diffusion/steppers/known_values.hpp"

namespace halocline::diffusion {

FieldStepper::FieldStepper(const Context& context, const Formulation& formulation, Index halo, bool records)
    : context_(context),
      f_(formulation),
      halo_(halo),
      field_(context, boxes_of(context, f_), f_.geometry, f_.stencil, f_.walls, halo, 1, records) {
  if (f_.keeps_source) field_.keep_source();
}

void FieldStepper::set(const Program& initial) {
  set_to_formula(field_.old_state(), initial);
  refresh();
}

// Halos of a state that was set as a whole, and walls, which measures may ask for before the first step.
void FieldStepper::refresh() {
  field_.set_walls({0, 0, 0}, 1);
  field_.start_exchange(false);
  field_.finish_exchange(false);
}

Measures FieldStepper::measure() const { return measures_of(field_, f_.geometry.volume()); }

Index FieldStepper::first_bad() const { return extremes(field_.old_state()).bad; }

ErrorSums FieldStepper::errors(const KnownSolution& known) const { return errors_of(field_.old_state(), known); }

void FieldStepper::archive(StateArchive& state) {
  field_.archive(state, "c");
  if (state.restoring()) refresh();
}

void FieldStepper::mark(bool /*judged*/) {
  context_.team.each([&](int p) { field_.keep_records(p); });
}

void FieldStepper::undo(bool made) {
  if (!made) return;
  field_.swap_all();
  context_.team.each([&](int p) { field_.restore_records(p); });
}

void FieldStepper::wait() const {
  context_.team.each([&](int p) { context_.team.executor(p)->synchronize(); });
}

}  // namespace halocline::diffusion
