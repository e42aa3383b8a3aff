#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

// One line per kind of equation.
std::unique_ptr<Stepper> make_stepper(const Context& context, const Formulation& formulation, bool single) {
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
