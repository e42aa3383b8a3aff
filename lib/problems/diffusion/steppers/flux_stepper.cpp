// Variable diffusivity and sources: c_t = div(D grad c) + S, one step at a time in flux form. Formulas are evaluated on
// the device, with the old state; a step that they do not allow is not taken.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/launch.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/diffusion/steppers/field_stepper.hpp"
#include "lib/problems/diffusion/steppers/flux_line_kernels.hpp"
#include "lib/problems/diffusion/steppers/flux_passes.hpp"
#include "lib/problems/diffusion/steppers/largest_value.hpp"
#include "lib/problems/diffusion/steppers/limit_watch.hpp"
#include "lib/problems/diffusion/steppers/wall_diffusivity.hpp"

namespace halocline::diffusion {

namespace {

// Cells away from walls by columns, those at walls apart.
template <FaceMean M, int Dimensions>
void launch_on_gpu(const Executor& executor, const ConvolveBlock<double>& b, const FluxTerms& f, const SlabBox& cells) {
  const Label label{"flux", bytes_of_box(b, cells, 2 + (f.D != nullptr) + (f.source != nullptr))};
  const ConvolveMask<double> star{.radius = {1, 1, Dimensions == 3 ? 1 : 0}};
  const Shell shell = make_shell_of(b, star, cells);
  pass_flux(executor, b, f, M, shell.inner);
  launch(executor,
         {"flux at walls",
          label.bytes / static_cast<double>(shell.inner.size() + shell.cells()) * static_cast<double>(shell.cells())},
         Range<1>{{0}, {shell.cells()}}, FluxShellCell<M, Dimensions>{b, star, f, shell});
}

// Calls use(MeanAndSpace<M, Dimensions>{}).
template <FaceMean M, int Dimensions>
struct MeanAndSpace {
  static constexpr FaceMean mean = M;
  static constexpr int dimensions = Dimensions;
};
template <class Use>
auto with_mean(FaceMean mean, int dimensions, const Use& use) {
  const auto in_space = [&]<FaceMean M>(MeanAndSpace<M, 2> flat) {
    return dimensions == 3 ? use(MeanAndSpace<M, 3>{}) : use(flat);
  };
  if (mean == FaceMean::constant) return in_space(MeanAndSpace<FaceMean::constant, 2>{});
  if (mean == FaceMean::harmonic) return in_space(MeanAndSpace<FaceMean::harmonic, 2>{});
  return in_space(MeanAndSpace<FaceMean::arithmetic, 2>{});
}

// On the host formulas that change are evaluated in the pass that makes the step, on GPUs before it. Where some part is
// of the host the largest D is thus known when the step has been made, and one above the limit is not taken. For some
// steps after such a one D is evaluated before the step everywhere, so that no pass is in vain.
class FluxStepper final : public FieldStepper {
 public:
  FluxStepper(const Context& context, const Formulation& formulation)
      : FieldStepper(context, formulation, 1, !formulation.walls.closed()),
        records_(!f_.walls.closed() || f_.keeps_source),
        mean_(!f_.terms.diffusivity ? FaceMean::constant
              : f_.terms.harmonic   ? FaceMean::harmonic
                                    : FaceMean::arithmetic),
        watch_(f_, context_.log),
        largest_(context_.comm, context_.team),
        largest_D_(f_.diffusivity) {
    if (f_.terms.decay) bound_.emplace(*f_.terms.decay);
    if (f_.terms.diffusivity) {
      D_.emplace(field_.slabs(), *f_.terms.diffusivity);
      wall_D_.emplace(context_, f_, field_);
    }
    if (f_.terms.source) source_.emplace(field_.slabs(), *f_.terms.source);
    std::array<Index, 1> in_pass{0};
    for (int p = 0; p < context_.team.parts(); ++p) {
      scratch_.emplace_back();
      const ExecutorPtr& executor = context_.team.executor(p);
      if (on_gpu(p)) continue;
      scratch_.back() = Array<double, 1>(executor, {executor->threads() * scratch_each(p)});
      in_pass[0] = moving_D();
    }
    context_.comm.max(std::span<Index>(in_pass));
    D_in_pass_ = in_pass[0] != 0;
  }

  Index advance(const Clock& clock, Index steps) override {
    for (Index n = 0; n < steps; ++n) {
      const Clock now{clock.origin, clock.dt, clock.step + n};
      if (D_in_pass_ && careful_ == 0) {
        if (step_at_once(now)) continue;
        careful_ = most_careful;
      }
      evaluate(now);
      if (!watch_.allows(clock.dt)) {
        if (careful_ > 0) careful_ = most_careful;
        refuse(clock.dt, clock.at(n));
        return n;
      }
      step([&](int p, const SlabBox& cells) { compute(p, now.at(0), clock.dt, cells, false); });
      current_ = false;
      if (careful_ > 0) --careful_;
    }
    return steps;
  }
  double allowed() const override { return watch_.limit(); }
  void undo(bool made) override {
    FieldStepper::undo(made);
    current_ = false;
  }

  std::string summary() const override {
    std::string text = D_ ? std::string("flux form, ") + (f_.terms.harmonic ? "harmonic" : "arithmetic") + " means of D"
                          : std::string("flux form");
    if (source_) text += ", with a source";
    return text + ", 1 step per sweep";
  }

 private:
  static constexpr int most_careful = 16;

  bool on_gpu(int part) const { return plan_flux(*context_.team.executor(part)); }
  bool moving_D() const { return D_ && D_->moving(); }
  Index registers() const {
    const int D = f_.terms.diffusivity ? f_.terms.diffusivity->register_count() : 0;
    return std::max(D, f_.terms.source ? f_.terms.source->register_count() : 0);
  }
  Index scratch_each(int part) const {
    const ConvolveBlock<double>& b = field_.block(part);
    return with_mean(mean_, b.dimensions, [&]<class Kind>(Kind) {
      return FluxLines<Kind::mean, Kind::dimensions>::scratch_of(b, registers());
    });
  }

  // A step with D evaluated in its pass; false: it is above the limit, and nothing has happened.
  bool step_at_once(const Clock& clock) {
    const double t = clock.at(0);
    field_.set_walls(clock, 1);
    context_.team.each([&](int p) {
      const double* c = field_.block(p).c;
      largest_.start(p);
      if (on_gpu(p)) D_->evaluate_on(p, t, c, field_.slabs()->box_with(p, 1), {.to = largest_.place(p)});
      wall_D_->evaluate(p, t, largest_.place(p));
      evaluate_source(p, t);
      if (records_) field_.keep_records(p);
    });
    evaluated_ = true;
    make_step([&](int p, const SlabBox& cells) { compute(p, t, clock.dt, cells, true); });
    largest_D_ = largest_.value();
    watch_reaction(clock.dt, t);
    const bool good = watch_.allows(clock.dt);
    if (good) field_.swap_all();
    if (!good && records_) context_.team.each([&](int p) { field_.restore_records(p); });
    return good;
  }

  // Walls and formulas for the step to come, and its limit. Done already where a step from here was refused.
  void evaluate(const Clock& clock) {
    const double t = clock.at(0);
    if (current_ && t == time_) return;
    current_ = true;
    time_ = t;
    field_.set_walls(clock, 1);
    const bool fresh_D = D_ && (D_->moving() || !evaluated_),
               fresh_source = source_ && (source_->moving() || !evaluated_);
    if (!fresh_D && !fresh_source) return;
    context_.team.each([&](int p) {
      if (fresh_D) {
        largest_.start(p);
        D_->evaluate_on(p, t, field_.block(p).c, field_.slabs()->box_with(p, 1), {.to = largest_.place(p)});
        wall_D_->evaluate(p, t, largest_.place(p));
      }
      evaluate_source(p, t);
    });
    evaluated_ = true;
    if (fresh_D) largest_D_ = largest_.value();
    watch_reaction(clock.dt, t);
  }
  // Where that is not done in the pass of the step, or for all times.
  void evaluate_source(int part, double t) {
    if (source_ && (source_->moving() ? on_gpu(part) : !evaluated_))
      source_->evaluate(part, t, field_.block(part).c, field_.block(part).rows());
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
    // D of a state that is no number is none either, but not to blame.
    if (const Index bad = watch_.bad_D() ? first_bad() : -1; bad >= 0)
      refuse_state(f_.geometry, bad, t, source_ ? "the source of the step before may be no number there" : "");
    if (watch_.tells())
      watch_.refuse(dt, t, D_ ? &D_->values() : nullptr, decay_ ? &decay_->values() : nullptr,
                    wall_D_ ? &*wall_D_ : nullptr);
  }

  // `in_pass`: D that changes is not yet evaluated, on the host.
  void compute(int part, double t, double dt, const SlabBox& cells, bool in_pass) {
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
    with_mean(mean_, b.dimensions, [&]<class Kind>(Kind) {
      if (on_gpu(part)) {
        if (field_.source()) field_.source()->add(part, terms.source, cells, dt);
        return launch_on_gpu<Kind::mean, Kind::dimensions>(*context_.team.executor(part), b, terms, cells);
      }
      if (field_.source()) terms.record = field_.source()->of(part, dt);
      launch_lines(part, t, cells, FluxLines<Kind::mean, Kind::dimensions>{b, terms}, in_pass);
    });
  }
  template <class Lines>
  void launch_lines(int part, double t, const SlabBox& cells, Lines lines, bool D_in_pass) {
    const Executor& executor = *context_.team.executor(part);
    const double* c = lines.b.c;
    const bool source_in_pass = source_ && source_->moving();
    if (D_in_pass) lines.D = D_->lines(part, t, c), lines.largest = {.to = largest_.place(part)};
    if (source_in_pass) lines.source = source_->lines(part, t, c);
    lines.cells = cells;
    lines.workers = executor.threads();
    lines.registers = registers();
    lines.scratch = scratch_[static_cast<std::size_t>(part)].view().data;
    lines.scratch_each = scratch_each(part);
    const int arrays = 2 + (D_ && !D_in_pass) + (source_ && !source_in_pass);
    launch_on_host(executor, {"flux", bytes_of_box(lines.b, cells, arrays)}, Range<1>{{0}, {lines.workers}}, lines);
  }

  bool records_;  // whether walls keep what they let in, or the source what it adds
  FaceMean mean_;
  std::optional<FormulaField> D_, source_, decay_;
  std::optional<WallDiffusivity> wall_D_;
  LimitWatch watch_;
  std::optional<DecayBound> bound_;
  LargestValue largest_;
  double largest_D_;
  bool D_in_pass_ = false;  // whether D changes, and a part of some rank is of the host
  int careful_ = 0;         // steps before which D is evaluated nevertheless
  bool evaluated_ = false;  // formulas of place alone
  bool current_ = false;    // all formulas, for the step to come
  double time_ = 0;         // when they were
  std::vector<Array<double, 1>> scratch_;
};

}  // namespace

std::unique_ptr<Stepper> make_flux_stepper(const Context& context, const Formulation& formulation) {
  return std::make_unique<FluxStepper>(context, formulation);
}

}  // namespace halocline::diffusion
