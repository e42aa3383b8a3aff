// Rates of variable diffusivity and sources: div(D grad c) + S in flux form, with formulas evaluated on the device for
// every stage.
#include <cmath>
#include <limits>
#include <optional>

#include "lib/fields/formula_field.hpp"
#include "lib/problems/diffusion/stabilized/launch_rates.hpp"
#include "lib/problems/diffusion/steppers/largest_value.hpp"
#include "lib/problems/diffusion/steppers/limit_watch.hpp"
#include "lib/problems/diffusion/steppers/wall_diffusivity.hpp"

namespace halocline::diffusion {

namespace {

class FluxOperator final : public RateOperator {
 public:
  FluxOperator(const Context& context, const Formulation& f, Field<double>& field)
      : context_(context),
        f_(f),
        field_(field),
        watch_(f, context.log),
        largest_(context.comm, context.team),
        largest_D_(f.diffusivity) {
    if (f.terms.diffusivity) {
      D_.emplace(field.slabs(), *f.terms.diffusivity);
      wall_D_.emplace(context_, f, field);
    }
    if (f.terms.source) source_.emplace(field.slabs(), *f.terms.source);
    if (f.terms.decay) decay_.emplace(field.slabs(), *f.terms.decay);
  }

  void prepare(double t) override {
    time_ = t;
    field_.set_walls({t, 0, 0}, 1);
    fresh_D_ = D_ && (D_->moving() || !evaluated_);
    const bool fresh_source = source_ && (source_->moving() || !evaluated_);
    evaluated_ = true;
    if (!fresh_D_ && !fresh_source) return;
    context_.team.each([&](int p) {
      const double* c = field_.block(p).c;
      if (fresh_D_) {
        largest_.start(p);
        D_->evaluate_on(p, t, c, field_.slabs()->box_with(p, 1), {.to = largest_.place(p)});
        wall_D_->evaluate(p, t, largest_.place(p));
      }
      if (fresh_source) source_->evaluate(p, t, c, field_.block(p).rows());
    });
  }

  double radius(const FieldRange& range) override {
    if (range.bad >= 0) return std::numeric_limits<double>::infinity();
    if (fresh_D_) largest_D_ = largest_.value();
    fresh_D_ = false;
    double reaction = f_.reaction;
    if (decay_) {
      context_.team.each([&](int p) {
        largest_.start(p);
        decay_->evaluate(p, time_, field_.block(p).c, field_.block(p).rows(),
                         {.to = largest_.place(p), .strict = false});
      });
      reaction = largest_.value();
    }
    watch_.note(largest_D_, reaction);
    return largest_D_ * f_.symbol + reaction;
  }
  bool steady() const override {
    return !f_.walls.moving() && !(D_ && D_->moving()) && !(source_ && source_->moving());
  }
  bool moving() const override { return (D_ && D_->moving()) || decay_; }

  void apply(int part, const SlabBox& cells, const StageUse& use, double share) override {
    const ConvolveBlock<double>& b = field_.block(part);
    FluxTerms terms;
    for (int axis = 0; axis < b.dimensions; ++axis) {
      const double h = f_.geometry.spacing[axis];
      terms.k[axis] = f_.terms.along[axis] * (D_ ? 1 : f_.diffusivity) / (h * h);
    }
    if (D_) {
      terms.D = D_->data(part);
      wall_D_->put(part, terms);
    }
    if (source_) terms.source = source_->data(part);
    terms.dt = 1;
    if (field_.source() && share != 0) record_source(part, cells, share, terms);
    if (!D_) return launch_mean<FaceMean::constant>(part, cells, terms, use, share);
    f_.terms.harmonic ? launch_mean<FaceMean::harmonic>(part, cells, terms, use, share)
                      : launch_mean<FaceMean::arithmetic>(part, cells, terms, use, share);
  }

  void refuse(double dt, double t) override {
    if (watch_.tells())
      watch_.refuse(dt, t, D_ ? &D_->values() : nullptr, decay_ ? &decay_->values() : nullptr,
                    wall_D_ ? &*wall_D_ : nullptr);
  }

  std::string summary() const override {
    std::string text = D_ ? std::string("flux form, ") + (f_.terms.harmonic ? "harmonic" : "arithmetic") + " means of D"
                          : std::string("flux form");
    return source_ ? text + ", with a source" : text;
  }

 private:
  // In the pass of the stage where that goes along lines.
  void record_source(int part, const SlabBox& cells, double share, FluxTerms& terms) {
    if (context_.team.executor(part)->backend() == Backend::omp) {
      terms.record = field_.source()->of(part, share);
    } else {
      field_.source()->add(part, terms.source, cells, share);
    }
  }
  template <FaceMean M>
  void launch_mean(int part, const SlabBox& cells, const FluxTerms& terms, const StageUse& use, double share) {
    const ConvolveBlock<double>& b = field_.block(part);
    const Executor& executor = *context_.team.executor(part);
    const int arrays = 1 + (terms.D != nullptr) + (terms.source != nullptr);
    if (b.dimensions == 3) {
      launch_rates(executor, b, cells, FluxRate<M, 3>{b, terms, share}, use, arrays);
    } else {
      launch_rates(executor, b, cells, FluxRate<M, 2>{b, terms, share}, use, arrays);
    }
  }

  const Context& context_;
  const Formulation& f_;
  Field<double>& field_;
  std::optional<FormulaField> D_, source_, decay_;
  std::optional<WallDiffusivity> wall_D_;
  LimitWatch watch_;
  LargestValue largest_;
  double largest_D_, time_ = 0;
  bool evaluated_ = false;  // formulas of place alone
  bool fresh_D_ = false;    // evaluated since its largest value was asked for
};

}  // namespace

std::unique_ptr<RateOperator> make_flux_rate(const Context& context, const Formulation& formulation,
                                             Field<double>& field) {
  return std::make_unique<FluxOperator>(context, formulation, field);
}

}  // namespace halocline::diffusion
