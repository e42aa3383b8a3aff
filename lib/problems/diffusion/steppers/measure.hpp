// What is measured on a field: its sum, its extremes, its first cell that is no number, what its walls took up.
#pragma once

#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

// Sum of c over all cells, exact over rows: the same on any number of parts. Collective.
template <class T>
double total(const Context& context, const Field<T>& field);

struct FieldRange {
  double low = 0, high = 0;
  Index bad = -1;  // number of the first cell that is not finite, x fastest; -1: none
};

// Extremes over all cells, and the first bad one. Collective.
template <class T>
FieldRange extremes(const Context& context, const Field<T>& field);

// All that a stepper measures; `volume` of a cell. Collective.
template <class T>
Measures measures_of(const Context& context, const Field<T>& field, double volume);

}  // namespace halocline::diffusion
