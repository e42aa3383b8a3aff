// ReactionStepper: several fields that react, one Euler step at a time: c_t = div(D grad c) + S of each field.
//
// A step is one pass over all fields, sources included; their halos travel in one message to each neighbor, while the
// cells that need none are computed. Formulas for D and walls are evaluated before the step, with the old state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/fields/formula_errors.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/reactions/formulation.hpp"
#include "lib/problems/diffusion/reactions/reaction_part.hpp"
#include "lib/problems/diffusion/reactions/reaction_watch.hpp"
#include "lib/problems/diffusion/stepper.hpp"
#include "lib/problems/diffusion/steppers/largest_value.hpp"
#include "lib/problems/diffusion/steppers/wall_diffusivity.hpp"
#include "lib/time/stepping.hpp"

namespace halocline::diffusion {

class ReactionStepper final : public TimeStepper {
 public:
  // `path`: of the sources; for tests.
  ReactionStepper(const Context& context, const Reactions& reactions, FormulaPath path = FormulaPath::of_executor);

  // The state at t = 0. Collective.
  void set();
  const SlabField<double>& state(int field) const { return fields_[static_cast<std::size_t>(field)]->old_state(); }
  // Of a field: uptake and source of those that keep them. Collective.
  Measures measure(int field) const {
    return measures_of(*fields_[static_cast<std::size_t>(field)], r_.geometry().volume());
  }
  Range<3> box(int part) const { return slabs_->block(part); }  // global
  void archive(StateArchive& archive);
  Traffic traffic() const { return slabs_->traffic(); }
  std::string summary() const;  // for the log

  Index advance(const Clock& clock, Index steps) override;
  double allowed() const override { return watch_.limit(); }
  void mark(bool judged) override;
  void undo(bool made) override;
  Index group() const override { return 1; }
  void wait() const override;

 private:
  // D of a field that is a formula.
  struct Diffusivity {
    FormulaField cells;
    WallDiffusivity walls;
  };
  void refresh();
  void evaluate(const Clock& clock);
  void evaluate_D(double t);
  void step(double t, double dt);
  void compute(int part, double t, double dt, const SlabBox& cells);
  Field<double>& field(int number) { return *fields_[static_cast<std::size_t>(number)]; }

  Context context_;
  const Reactions& r_;
  std::shared_ptr<Slabs<double>> slabs_;
  std::vector<std::unique_ptr<Field<double>>> fields_;
  std::vector<std::unique_ptr<Diffusivity>> D_;  // null: a number
  std::vector<double> largest_D_;
  std::vector<ReactionRates> rates_of_parts_;
  std::vector<std::unique_ptr<ReactionPart>> parts_;
  LargestValue largest_;
  ReactionWatch watch_;
  std::optional<ReactionWatch> marked_;  // before a step that does not count
  bool evaluated_ = false;               // D, once
  bool current_ = false;                 // walls, D and limit, for the step to come
  double time_ = 0;                      // when they were
};

}  // namespace halocline::diffusion
