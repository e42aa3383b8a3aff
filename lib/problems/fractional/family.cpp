// The family's entry in the table.
#include "lib/problems/fractional/fractional.hpp"
#include "lib/problems/fractional/options.hpp"
#include "lib/problems/fractional/plan.hpp"
#include "lib/problems/fractional/problem.hpp"

namespace halocline {

const Family& fractional_family() {
  static const Family family{"fractional",
                             "time-fractional diffusion in 3D with the psi-Caputo derivative, of one or several orders",
                             [] { return std::unique_ptr<Options>(new fractional::FractionalOptions); },
                             fractional::field_names,
                             fractional::plan,
                             fractional::make_problem};
  return family;
}

}  // namespace halocline
