// The free energy of Cahn-Hilliard: the sum of f + kappa/2 |grad c|^2 times the volume of a cell.
#pragma once

#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/formulation.hpp"

namespace halocline::diffusion {

/// Of a state with its halos. Exact sums over rows; collective.
double free_energy(const Context& context, const Formulation& formulation, const Field<double>& field);

}  // namespace halocline::diffusion
