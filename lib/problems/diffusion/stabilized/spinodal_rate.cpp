// Rates of Cahn-Hilliard: M times the deck's mask applied to mu = f'(c) - kappa lap c, in two passes.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "lib/problems/diffusion/stabilized/launch_rates.hpp"
#include "lib/problems/diffusion/steppers/device_mask.hpp"
#include "lib/problems/diffusion/steppers/free_energy.hpp"
#include "lib/problems/diffusion/steppers/limit_watch.hpp"
#include "lib/problems/diffusion/steppers/spinodal_kernels.hpp"

namespace halocline::diffusion {

namespace {

class SpinodalOperator final : public RateOperator {
 public:
  SpinodalOperator(const Context& context, const Formulation& f, Field<double>& field)
      : context_(context),
        f_(f),
        field_(field),
        well_{f.terms.rho, f.terms.low, f.terms.high},
        symbol_(f.stencil.largest_symbol(-1)),
        watch_(f, context.log) {
    for (int p = 0; p < context.team.parts(); ++p) {
      const ConvolveBlock<double>& b = field.block(p);
      const ExecutorPtr& executor = context.team.executor(p);
      mu_.emplace_back(executor, std::array<Index, 1>{(b.slow_extent() + 2 * b.halo) * b.slow_stride()});
      inner_.push_back(device_mask(executor, f.stencil, -f.terms.kappa));
      outer_.push_back(device_mask(executor, f.stencil, f.terms.mobility));
    }
  }

  void prepare(double t) override { field_.set_walls({t, 0, 0}, 1); }

  // The operator M lap (f''(c) - kappa lap) is similar to a symmetric one. f'' is largest at the ends of a range.
  double radius(const FieldRange& range) override {
    if (range.bad >= 0) return std::numeric_limits<double>::infinity();
    const double curvature = std::max({well_.curvature(range.low), well_.curvature(range.high), 0.0});
    const double rate = f_.terms.mobility * symbol_ * (f_.terms.kappa * symbol_ + curvature);
    watch_.note_curvature(curvature, rate);
    return rate;
  }
  bool moving() const override { return true; }
  bool steady() const override { return true; }

  int ahead() const override { return f_.stencil.radius[f_.geometry.slow_axis()]; }
  void begin(int part, Rows rows) override {
    const ConvolveBlock<double>& b = field_.block(part);
    const ConvolveMask<double>& mask = inner_[static_cast<std::size_t>(part)].mask;
    dispatch(mask.kind, [&](auto kind) {
      launch_cells(*context_.team.executor(part), {"potential", bytes_of(b, rows, 2)}, b, rows,
                   PotentialBody<decltype(kind)::value>{b, mask, well_, mu(part)});
    });
  }
  void apply(int part, Rows rows, const StageUse& use, double /*share*/) override {
    ConvolveBlock<double> b = field_.block(part);
    b.c = mu(part);
    const ConvolveMask<double>& mask = outer_[static_cast<std::size_t>(part)].mask;
    dispatch(mask.kind, [&](auto kind) {
      const MaskRate<decltype(kind)::value> rate{b, mask, 0};
      launch_rates(*context_.team.executor(part), b, rows, rate, use, 2);
    });
  }

  void refuse(double dt, double t) override {
    if (watch_.tells()) watch_.refuse(dt, t, nullptr, nullptr);
  }
  std::optional<double> energy() const override { return free_energy(context_, f_, field_); }
  std::string summary() const override { return "two passes of the mask per stage"; }

 private:
  double* mu(int part) {
    const ConvolveBlock<double>& b = field_.block(part);
    return mu_[static_cast<std::size_t>(part)].view().data + b.halo * b.slow_stride();
  }

  const Context& context_;
  const Formulation& f_;
  Field<double>& field_;
  DoubleWell well_;
  double symbol_;
  LimitWatch watch_;
  std::vector<Array<double, 1>> mu_;
  std::vector<DeviceMask> inner_, outer_;  // weights times -kappa, M
};

}  // namespace

std::unique_ptr<RateOperator> make_spinodal_rate(const Context& context, const Formulation& formulation,
                                                 Field<double>& field) {
  return std::make_unique<SpinodalOperator>(context, formulation, field);
}

}  // namespace halocline::diffusion
