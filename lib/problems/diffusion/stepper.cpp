#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

// One line per kind of equation.
std::unique_ptr<Stepper> make_stepper(const Context& context, const Formulation& formulation, bool single) {
  switch (formulation.equation) {
    case EquationKind::diffusion:
      return make_convolve_stepper(context, formulation, single);
  }
  throw InternalError("diffusion: no stepper for this equation");
}

}  // namespace halocline::diffusion
