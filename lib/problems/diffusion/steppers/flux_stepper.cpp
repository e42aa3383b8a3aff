// Variable diffusivity and sources: c_t = div(D grad c) + S, one step at a time in flux form. Formulas are evaluated on
// the device, before the step, with the old state; a step that they do not allow is not made.
#include <memory>
#include <optional>

#include "gpu/launch.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/diffusion/steppers/field_stepper.hpp"
#include "lib/problems/diffusion/steppers/flux_passes.hpp"
#include "lib/problems/diffusion/steppers/largest_value.hpp"
#include "lib/problems/diffusion/steppers/limit_watch.hpp"
#include "lib/problems/diffusion/steppers/wall_diffusivity.hpp"

namespace halocline::diffusion {

namespace {

template <FaceMean M, int Dimensions>
void launch_rows(const Executor& executor, const ConvolveBlock<double>& b, const FluxTerms& f, Rows rows) {
  if (rows.lo >= rows.hi) return;
  Range<2> box{{0, 0}, {b.extent[2], b.extent[1]}};
  box.lo[Dimensions == 3 ? 0 : 1] = rows.lo;
  box.hi[Dimensions == 3 ? 0 : 1] = rows.hi;
  const Label label{"flux", bytes_of(b, rows, 2 + (f.D != nullptr) + (f.source != nullptr))};
  if (plan_flux(executor)) {
    const ConvolveMask<double> star{.radius = {1, 1, Dimensions == 3 ? 1 : 0}};
    const Shell shell = make_shell(b, star, rows);
    pass_flux(executor, b, f, M, shell.inner);
    launch(executor,
           {"flux at walls", label.bytes / static_cast<double>(b.count(rows)) * static_cast<double>(shell.cells())},
           Range<1>{{0}, {shell.cells()}}, FluxShellCell<M, Dimensions>{b, star, f, shell});
  } else {
    launch_on_host(executor, label, box, FluxRow<M, Dimensions>{b, f});
  }
}

template <FaceMean M>
void launch_mean(const Executor& executor, const ConvolveBlock<double>& b, const FluxTerms& f, Rows rows) {
  b.dimensions == 3 ? launch_rows<M, 3>(executor, b, f, rows) : launch_rows<M, 2>(executor, b, f, rows);
}

class FluxStepper final : public FieldStepper {
 public:
  FluxStepper(const Context& context, const Formulation& formulation)
      : FieldStepper(context, formulation, 1, !formulation.walls.closed()),
        watch_(f_, context_.log),
        largest_(context_.comm, context_.team),
        largest_D_(f_.diffusivity) {
    if (f_.terms.decay) bound_.emplace(*f_.terms.decay);
    if (f_.terms.diffusivity) {
      D_.emplace(field_.slabs(), *f_.terms.diffusivity);
      wall_D_.emplace(context_, f_, field_);
    }
    if (f_.terms.source) source_.emplace(field_.slabs(), *f_.terms.source);
  }

  Index advance(const Clock& clock, Index steps) override {
    for (Index n = 0; n < steps; ++n) {
      evaluate({clock.origin, clock.dt, clock.step + n});
      if (!watch_.allows(clock.dt)) {
        refuse(clock.dt, clock.at(n));
        return n;
      }
      step([&](int p, Rows rows) { compute(p, clock.dt, rows); });
      current_ = false;
    }
    return steps;
  }
  double allowed() const override { return watch_.limit(); }

  std::string summary() const override {
    std::string text = D_ ? std::string("flux form, ") + (f_.terms.harmonic ? "harmonic" : "arithmetic") + " means of D"
                          : std::string("flux form");
    if (source_) text += ", with a source";
    return text + ", 1 step per sweep";
  }

 private:
  // Walls and formulas for the step to come, and its limit. Done already where a step from here was refused.
  void evaluate(const Clock& clock) {
    const double t = clock.at(0);
    if (current_ && t == time_) return;
    current_ = true;
    time_ = t;
    field_.set_walls(clock, 1);
    const bool fresh_D = D_ && (D_->moving() || !evaluated_),
               fresh_source = source_ && (source_->moving() || !evaluated_);
    evaluated_ = true;
    if (!fresh_D && !fresh_source) return;
    context_.team.each([&](int p) {
      const double* c = field_.block(p).c;
      if (fresh_D) {
        largest_.start(p);
        D_->evaluate(p, t, c, field_.slabs()->rows_with(p, 1), {.to = largest_.place(p)});
        wall_D_->evaluate(p, t, largest_.place(p));
      }
      if (fresh_source) source_->evaluate(p, t, c, field_.block(p).rows());
    });
    if (fresh_D) largest_D_ = largest_.value();
    watch_reaction(clock.dt, t);
  }

  // Its limit. The reaction is judged cell by cell where a bound, doubled as it is sampled, is not good enough.
  void watch_reaction(double dt, double t) {
    if (!f_.terms.decay) return watch_.note(largest_D_, f_.reaction);
    const Program& decay = *f_.terms.decay;
    if (!decay.uses(0) && !decay.uses(1) && !decay.uses(2)) {
      const FieldRange range = extremes(field_.old_state());
      watch_.note(largest_D_, 2 * bound_->largest(range.low, range.high, t));
      if (watch_.allows(dt)) return;
    }
    if (!decay_) decay_.emplace(field_.slabs(), decay);
    context_.team.each([&](int p) {
      largest_.start(p);
      decay_->evaluate(p, t, field_.block(p).c, field_.block(p).rows(), {.to = largest_.place(p), .strict = false});
    });
    watch_.note(largest_D_, largest_.value());
  }

  void refuse(double dt, double t) {
    if (watch_.tells()) watch_.refuse(dt, t, D_ ? &D_->values() : nullptr, decay_ ? &decay_->values() : nullptr);
  }

  void compute(int part, double dt, Rows rows) const {
    const ConvolveBlock<double>& b = field_.block(part);
    FluxTerms terms;
    for (int axis = 0; axis < b.dimensions; ++axis) {
      const double h = f_.geometry.spacing[axis];
      terms.k[axis] = dt * f_.terms.along[axis] * (D_ ? 1 : f_.diffusivity) / (h * h);
    }
    if (D_) {
      terms.D = D_->data(part);
      wall_D_->put(part, terms);
    }
    if (source_) terms.source = source_->data(part);
    terms.dt = dt;
    const Executor& executor = *context_.team.executor(part);
    if (!D_) return launch_mean<FaceMean::constant>(executor, b, terms, rows);
    f_.terms.harmonic ? launch_mean<FaceMean::harmonic>(executor, b, terms, rows)
                      : launch_mean<FaceMean::arithmetic>(executor, b, terms, rows);
  }

  std::optional<FormulaField> D_, source_, decay_;
  std::optional<WallDiffusivity> wall_D_;
  LimitWatch watch_;
  std::optional<DecayBound> bound_;
  LargestValue largest_;
  double largest_D_;
  bool evaluated_ = false;  // formulas of place alone
  bool current_ = false;    // all formulas, for the step to come
  double time_ = 0;         // when they were
};

}  // namespace

std::unique_ptr<Stepper> make_flux_stepper(const Context& context, const Formulation& formulation) {
  return std::make_unique<FluxStepper>(context, formulation);
}

}  // namespace halocline::diffusion
