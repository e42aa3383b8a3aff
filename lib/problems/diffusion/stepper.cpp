#include "lib/problems/diffusion/stepper.hpp"

#include "lib/fields/measure.hpp"

namespace halocline::diffusion {

template <class T>
Measures measures_of(const Field<T>& field, double volume) {
  Measures m;
  m.mass = total(field.old_state()) * volume;
  const FieldRange range = extremes(field.old_state());
  m.low = range.low;
  m.high = range.high;
  const std::vector<ExactSum> sums = field.uptake();
  ExactSum all;
  for (std::size_t side = 0; side < 6; ++side) {
    m.uptake[side] = sums[side].value() * volume;
    all.add(sums[side]);
  }
  m.total_uptake = all.value() * volume;
  if (field.source()) m.source = field.source()->total().value() * volume;
  return m;
}

template Measures measures_of(const Field<double>&, double);
template Measures measures_of(const Field<float>&, double);

// One line per kind of equation.
std::unique_ptr<Stepper> make_stepper(const Context& context, const Formulation& formulation, bool single) {
  if (formulation.method != TimeMethod::euler) return make_stabilized_stepper(context, formulation);
  switch (formulation.equation) {
    case EquationKind::diffusion:
    case EquationKind::allen_cahn:
      return formulation.terms.in_flux_form() ? make_flux_stepper(context, formulation)
                                              : make_convolve_stepper(context, formulation, single);
    case EquationKind::cahn_hilliard:
      return make_spinodal_stepper(context, formulation);
  }
  throw InternalError("diffusion: no stepper for this equation");
}

}  // namespace halocline::diffusion
