// Cahn-Hilliard: c_t = div M grad(f'(c) - kappa lap c), by the deck's mask twice per step, in two passes over memory
// or, by kernels of GPUs, in one; with a mobility that varies the second is in flux form. Halos hold rows for both, so
// that neighbors are met once per step.
#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>

#include "lib/fields/formula_field.hpp"
#include "lib/problems/diffusion/steppers/field_stepper.hpp"
#include "lib/problems/diffusion/steppers/launch_cells.hpp"
#include "lib/problems/diffusion/steppers/mobility_kernels.hpp"
#include "lib/problems/diffusion/steppers/potential.hpp"
#include "lib/problems/diffusion/steppers/spinodal_passes.hpp"

namespace halocline::diffusion {

namespace {

class SpinodalStepper final : public FieldStepper {
 public:
  SpinodalStepper(const Context& context, const Formulation& f)
      : FieldStepper(context, f, 2 * f.stencil.radius[f.geometry.slow_axis()], false),
        one_pass_(parts_in_one_pass()),
        potential_(context_, f_, field_, one_pass_),
        watch_(f_, context_.log),
        largest_(context_.comm, context_.team),
        largest_mobility_(f_.terms.mobility) {
    if (f_.terms.varying_mobility) mobility_.emplace(field_.slabs(), *f_.terms.varying_mobility);
  }

  Index advance(const Clock& clock, Index steps) override {
    if (clock.dt != dt_) set_step(clock.dt);
    field_.set_walls(clock, 1);  // no flux or periodic: once
    for (Index n = 0; n < steps; ++n) {
      judge(clock.dt, clock.at(n));
      if (!watch_.allows(clock.dt)) {
        if (watch_.tells()) watch_.refuse(clock.dt, clock.at(n), mobility_ ? &mobility_->values() : nullptr, nullptr);
        return n;
      }
      context_.team.each([&](int p) {
        const ConvolveBlock<double>& b = field_.block(p);
        if (!in_one_pass(p))
          potential_.compute(p, rows_of_level(b, f_.stencil.radius[b.slow_axis()], {0, b.slow_extent()}, 0, 2));
      });
      step([&](int p, const SlabBox& cells) { in_one_pass(p) ? pass(p, cells) : evolve(p, cells); });
    }
    return steps;
  }
  double allowed() const override { return watch_.limit(); }

  Measures measure() const override {
    Measures m = FieldStepper::measure();
    m.energy = potential_.energy();
    return m;
  }

  std::string summary() const override {
    const auto ones = std::count_if(one_pass_.begin(), one_pass_.end(), [](char one) { return one != 0; });
    const bool all = ones == std::ssize(one_pass_);
    return std::string(all         ? "one pass"
                       : ones == 0 ? "two passes"
                                   : "one pass or two, by part,") +
           " of the mask, 1 step per sweep" + (f_.terms.free_energy ? ", free energy by a formula" : "") +
           (mobility_ ? std::string(", ") + (f_.terms.harmonic ? "harmonic" : "arithmetic") + " means of the mobility"
                      : std::string());
  }

 private:
  std::vector<char> parts_in_one_pass() const {
    std::vector<char> ones;
    for (int p = 0; p < context_.team.parts(); ++p)
      ones.push_back(!f_.terms.free_energy && !f_.terms.varying_mobility &&
                     plan_spinodal(*context_.team.executor(p), f_.stencil.kind));
    return ones;
  }
  bool in_one_pass(int part) const { return one_pass_[static_cast<std::size_t>(part)] != 0; }

  void set_step(double dt) {
    wait();
    outer_.clear();
    for (int p = 0; p < context_.team.parts(); ++p)
      outer_.push_back(device_mask(context_.team.executor(p), f_.stencil, dt * f_.terms.mobility));
    dt_ = dt;
  }

  // The mobility for the step to come, and the limit of stability where it changes. That of the double well is known
  // before, as long as c is between the wells.
  void judge(double dt, double t) {
    if (mobility_ && (mobility_->moving() || !evaluated_)) {
      context_.team.each([&](int p) {
        largest_.start(p);
        mobility_->evaluate_on(p, t, field_.block(p).c, field_.slabs()->box_with(p, 1), {.to = largest_.place(p)});
      });
      largest_mobility_ = largest_.value();
      evaluated_ = true;
    }
    if (!f_.terms.free_energy) {
      if (mobility_) watch_.note_curvature(largest_mobility_, well_curvature());
      return;
    }
    const FieldRange range = extremes(field_.old_state());
    watch_.note_curvature(largest_mobility_, potential_.bound_of_curvature(range));
    if (!watch_.allows(dt)) watch_.note_curvature(largest_mobility_, potential_.largest_curvature(range));
  }
  double well_curvature() const { return potential_.well().curvature(f_.terms.low); }

  void evolve(int part, const SlabBox& cells) {
    const ConvolveBlock<double>& b = field_.block(part);
    const Executor& executor = *context_.team.executor(part);
    if (mobility_) return evolve_in_flux_form(executor, part, cells);
    const ConvolveMask<double>& mask = outer_[static_cast<std::size_t>(part)].mask;
    dispatch(mask.kind, [&](auto kind) {
      launch_cells(executor, {"evolve", bytes_of_box(b, cells, 3)}, b, cells,
                   EvolveBody<decltype(kind)::value>{b, mask, potential_.at(part)});
    });
  }
  void evolve_in_flux_form(const Executor& executor, int part, const SlabBox& cells) {
    ConvolveBlock<double> b = field_.block(part);
    const double* c = b.c;
    b.c = potential_.at(part);
    with_mobility(b, mobility_terms(f_.geometry.spacing, b.dimensions, mobility_->data(part)), f_.terms.harmonic,
                  [&](const auto& rate) {
                    launch_cells(executor, {"evolve", bytes_of_box(b, cells, 4)}, b, cells,
                                 MobilityStep<std::decay_t<decltype(rate)>>{rate, c, b.next, dt_});
                  });
  }
  void pass(int part, const SlabBox& cells) {
    pass_spinodal(*context_.team.executor(part), field_.block(part),
                  {potential_.mask(part), outer_[static_cast<std::size_t>(part)].mask, potential_.well()}, cells);
  }

  double dt_ = 0;
  std::vector<char> one_pass_;     // of the parts: whether a kernel does both masks in one
  mutable Potential potential_;    // whose memory measuring uses
  std::vector<DeviceMask> outer_;  // weights times dt M
  std::optional<FormulaField> mobility_;
  LimitWatch watch_;
  LargestValue largest_;
  double largest_mobility_;
  bool evaluated_ = false;
};

}  // namespace

std::unique_ptr<Stepper> make_spinodal_stepper(const Context& context, const Formulation& formulation) {
  return std::make_unique<SpinodalStepper>(context, formulation);
}

}  // namespace halocline::diffusion
