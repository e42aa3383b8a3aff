#include "lib/problems/fractional/step/shown_field.hpp"

#include "gpu/launch.hpp"
#include "lib/fields/formula_errors.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/fractional/step/step_kernels.hpp"

namespace halocline::fractional {

void ShownField::show_between(double factor, const SlabField<double>& last) {
  between_ = true;
  const Slabs<double>& slabs = *coefficients_->slabs();
  if (!shown_) shown_.emplace(coefficients_->slabs());
  slabs.team().each([&](int p) {
    const SlabLayout& slab = slabs.layout(p);
    launch_rows(*slabs.team().executor(p), "between levels", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                BetweenBody{{slab, {}}, c_->data(p), last.data(p), {{factor}}, shown_->data(p)});
  });
}

Measures ShownField::measure() const {
  const Formulation& f = *formulation_;
  const FieldRange range = extremes(field());
  return {f.sigma.constant() ? f.sigma.number * f.grid.volume() * weighted_total(field())
                             : f.grid.volume() * weighted_total(field(), &coefficients_->sigma_field()),
          range.low, range.high};
}

ErrorMeasures ShownField::errors(const Program& exact, double t) const {
  const ErrorSums sums = formula_errors(field(), exact, t);
  return {sums.largest, sums.square};
}

}  // namespace halocline::fractional
