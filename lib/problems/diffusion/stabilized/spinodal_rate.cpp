// Rates of Cahn-Hilliard: div M grad mu, mu = f'(c) - kappa lap c, in two passes: of the deck's mask or, with a
// mobility that varies, the second in flux form.
#include <limits>
#include <optional>
#include <vector>

#include "lib/fields/formula_field.hpp"
#include "lib/problems/diffusion/stabilized/launch_rates.hpp"
#include "lib/problems/diffusion/steppers/mobility_kernels.hpp"
#include "lib/problems/diffusion/steppers/potential.hpp"

namespace halocline::diffusion {

namespace {

class SpinodalOperator final : public RateOperator {
 public:
  SpinodalOperator(const Context& context, const Formulation& f, Field<double>& field)
      : context_(context),
        f_(f),
        field_(field),
        potential_(context, f, field),
        watch_(f, context.log),
        largest_(context.comm, context.team) {
    for (int p = 0; p < context.team.parts(); ++p)
      outer_.push_back(device_mask(context.team.executor(p), f.stencil, f.terms.mobility));
    if (f.terms.varying_mobility) mobility_.emplace(field.slabs(), *f.terms.varying_mobility);
  }

  void prepare(double t) override {
    time_ = t;
    field_.set_walls({t, 0, 0}, 1);
  }

  double radius(const FieldRange& range) override {
    if (range.bad >= 0) return std::numeric_limits<double>::infinity();
    const double mobility = largest_mobility(), curvature = potential_.largest_curvature(range);
    watch_.note_curvature(mobility, curvature);
    return spinodal_rate(f_, mobility, curvature);
  }
  bool moving() const override { return true; }
  bool steady() const override { return !(mobility_ && f_.terms.varying_mobility->uses(3)); }

  int ahead() const override { return f_.stencil.radius[f_.geometry.slow_axis()]; }
  void begin(int part, Rows rows) override {
    potential_.compute(part, rows);
    if (mobility_ && rows.lo < rows.hi)
      mobility_->evaluate_on(part, time_, field_.block(part).c, with_rim(field_.block(part), rows, ahead()));
  }
  void apply(int part, const SlabBox& cells, const StageUse& use, double /*share*/) override {
    ConvolveBlock<double> b = field_.block(part);
    b.c = potential_.at(part);
    const Executor& executor = *context_.team.executor(part);
    if (mobility_)
      return with_mobility(b, mobility_terms(f_.geometry.spacing, b.dimensions, mobility_->data(part)),
                           f_.terms.harmonic,
                           [&](const auto& rate) { launch_rates(executor, b, cells, rate, use, 2); });
    const ConvolveMask<double>& mask = outer_[static_cast<std::size_t>(part)].mask;
    dispatch(mask.kind, [&](auto kind) {
      const MaskRate<decltype(kind)::value> rate{b, mask, 0};
      launch_rates(executor, b, cells, rate, use, 2);
    });
  }

  void refuse(double dt, double t) override {
    if (watch_.tells()) watch_.refuse(dt, t, mobility_ ? &mobility_->values() : nullptr, nullptr);
  }
  std::optional<double> energy() const override { return potential_.energy(); }
  std::string summary() const override {
    return mobility_ ? std::string("two passes per stage, ") + (f_.terms.harmonic ? "harmonic" : "arithmetic") +
                           " means of the mobility"
                     : std::string("two passes of the mask per stage");
  }

 private:
  double largest_mobility() {
    if (!mobility_) return f_.terms.mobility;
    context_.team.each([&](int p) {
      largest_.start(p);
      mobility_->evaluate(p, time_, field_.block(p).c, field_.block(p).rows(), {.to = largest_.place(p)});
    });
    return largest_.value();
  }

  const Context& context_;
  const Formulation& f_;
  Field<double>& field_;
  mutable Potential potential_;  // whose memory measuring uses
  std::optional<FormulaField> mobility_;
  LimitWatch watch_;
  LargestValue largest_;
  double time_ = 0;
  std::vector<DeviceMask> outer_;  // weights times M
};

}  // namespace

std::unique_ptr<RateOperator> make_spinodal_rate(const Context& context, const Formulation& formulation,
                                                 Field<double>& field) {
  return std::make_unique<SpinodalOperator>(context, formulation, field);
}

}  // namespace halocline::diffusion
