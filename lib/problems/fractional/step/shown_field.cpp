#include "lib/problems/fractional/step/shown_field.hpp"

#include "gpu/launch.hpp"
#include "lib/fields/formula_errors.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/fractional/step/step_kernels.hpp"

namespace halocline::fractional {

template <class Numbers>
void ShownField::show_level(const SlabField<typename Numbers::Field>& c) {
  if constexpr (std::is_same_v<typename Numbers::Field, double>) {
    field_ = &c;
  } else {
    make<Numbers>(c, 0, nullptr);
  }
}

template <class Numbers>
void ShownField::show_between(const SlabField<typename Numbers::Field>& c, double factor,
                              const SlabField<typename Numbers::Slot>& last) {
  make<Numbers>(c, factor, &last);
}

template <class Numbers>
void ShownField::make(const SlabField<typename Numbers::Field>& c, double factor,
                      const SlabField<typename Numbers::Slot>* increment) {
  const Slabs<double>& slabs = *coefficients_->slabs();
  if (!made_) made_.emplace(coefficients_->slabs());
  field_ = &*made_;
  slabs.team().each([&](int p) {
    const SlabLayout& slab = slabs.layout(p);
    launch_rows(*slabs.team().executor(p), "between levels", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                BetweenBody<Numbers>{
                    {slab, {}}, c.data(p), increment ? increment->data(p) : nullptr, {{factor}}, made_->data(p)});
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

template void ShownField::show_level<Fp64>(const SlabField<double>&);
template void ShownField::show_level<Mixed>(const SlabField<double>&);
template void ShownField::show_level<Fp32>(const SlabField<float>&);
template void ShownField::show_between<Fp64>(const SlabField<double>&, double, const SlabField<double>&);
template void ShownField::show_between<Mixed>(const SlabField<double>&, double, const SlabField<float>&);
template void ShownField::show_between<Fp32>(const SlabField<float>&, double, const SlabField<float>&);

}  // namespace halocline::fractional
