// What is measured on a field in slabs where it lies: its sum, its extremes, the first unknown that is no number.
#pragma once

#include "lib/fields/slab_field.hpp"

namespace halocline {

/// Sum over all unknowns, exact over lines along x: the same on any number of parts. Collective. T: double or float.
template <class T>
double total(const SlabField<T>& field);

/// The same with every value times UniformGrid::weight along each axis, 1/2 for nodes on the boundary, and times a
/// factor on every unknown, a field with the layout of this one; null: 1. Times the volume of a cell an integral.
template <class T>
double weighted_total(const SlabField<T>& field, const SlabField<double>* factor = nullptr);

struct FieldRange {
  double low = 0, high = 0;
  Index bad = -1;  // number of the first unknown that is not finite, x fastest; -1: none
};

/// Extremes over all unknowns, and the first bad one. Collective.
template <class T>
FieldRange extremes(const SlabField<T>& field);

}  // namespace halocline
