#include "lib/problems/fractional/step/factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gpu/launch.hpp"
#include "lib/fields/error_kernels.hpp"
#include "lib/problems/fractional/step/step_faults.hpp"
#include "lib/problems/fractional/step/step_kernels.hpp"

namespace halocline::fractional {

StepFactors::StepFactors(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                         const Coefficients& of, const StepSources& sources)
    : formulation_(&formulation),
      slabs_(slabs),
      coefficients_(&of),
      sources_(&sources),
      least_(static_cast<std::size_t>(slabs->parts())) {
  if (of.same_mu()) return;
  mu_.emplace(slabs);
  nu_.emplace(slabs);
}

void StepFactors::set(const LevelNumbers& n) {
  if (!mu_) return set_number(n);
  set_fields(n, true, sources_->slope_varies() || n.level == 1);
}

void StepFactors::set_linear(const LevelNumbers& n) {
  if (!mu_) return set_number(n);
  set_fields(n, !sources_->slope_varies(), true);
}

void StepFactors::exchange_nu() {
  if (!nu_) return;
  nu_->start_exchange();
  nu_->finish_exchange();
}

void StepFactors::scale_nu(double factor) {
  nu_number_ *= factor;
  if (!nu_) return;
  slabs_->team().each([&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    launch_rows(*slabs_->team().executor(p), "scale factors", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                ScaleBody{{slab}, factor, nu_->data(p)});
  });
}

void StepFactors::set_number(const LevelNumbers& n) {
  const Formulation& f = *formulation_;
  const double ahead = 1 - n.theta.of[0];
  number_ = 1 / std::fma(ahead, f.reaction.number - f.source_slope.number, f.sigma.number * n.local.of[0]);
  nu_number_ = ahead * number_;
  const double denominator = 1 / number_;
  if (!(denominator > 0)) refuse_step(n.level, n.t, denominator);
}

// `look`: whether the least denominator is known to be positive only after a look at it.
void StepFactors::set_fields(const LevelNumbers& n, bool with_slope, bool look) {
  MediumNumbers ahead;
  for (int m = 0; m < n.media; ++m) ahead.of[m] = 1 - n.theta.of[m];
  slabs_->team().each([&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    const NodeValue slope = with_slope ? sources_->slope(p) : NodeValue{};
    const FactorsBody body{{slab, coefficients_->media().of_nodes(p)},
                           coefficients_->sigma(p),
                           coefficients_->reaction(p),
                           slope,
                           n.local,
                           ahead,
                           mu_->data(p),
                           nu_->data(p)};
    const Range<2> nodes{{0, 0}, {slab.lines(), slab.extent[0]}};
    const Executor& executor = *slabs_->team().executor(p);
    launch_rows(executor, "factors", nodes, body);
    if (look)
      least_[static_cast<std::size_t>(p)] =
          reduce(executor, "least denominator", nodes, std::numeric_limits<double>::infinity(), Lesser{},
                 LeastDenominator{body});
  });
  if (!look) return;
  std::array<double, 1> most{-*std::min_element(least_.begin(), least_.end())};
  slabs_->comm().max(most);
  if (!(most[0] < 0)) refuse_step(n.level, n.t, -most[0]);
}

}  // namespace halocline::fractional
