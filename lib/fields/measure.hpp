// What is measured on a field in slabs where it lies: its sum, its extremes, the first unknown that is no number.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

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

/// The largest of(part), a double or an Index, over the parts of all ranks; each is asked for where its device is
/// driven. `parts`: room for a value of each, so that nothing is allocated. Collective.
template <class T, class Of, class Value>
Value largest_of_parts(const Slabs<T>& slabs, const Of& of, std::vector<Value>& parts) {
  slabs.team().each([&](int p) { parts[static_cast<std::size_t>(p)] = of(p); });
  std::array<Value, 1> most{*std::max_element(parts.begin(), parts.end())};
  slabs.comm().max(most);
  return most[0];
}
template <class T, class Of>
auto largest_of_parts(const Slabs<T>& slabs, const Of& of) {
  std::vector<decltype(of(0))> parts(static_cast<std::size_t>(slabs.parts()));
  return largest_of_parts(slabs, of, parts);
}

}  // namespace halocline
