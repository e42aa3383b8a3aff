// Values on the rows of a system in their natural order: right sides, starts, exact solutions, and how far they differ.
#pragma once

#include "lib/linalg/sparse/rows.hpp"
#include "lib/problems/sparse/sources/box/box.hpp"
#include "lib/problems/sparse/sources/file/data_file.hpp"

namespace halocline::sparse {

PartValues constant_values(const RowSpace& rows, double value);
// Between -1 and 1, by row and seed.
PartValues random_values(const RowSpace& rows, Index seed);
// Of a formula at the unknowns of a box.
PartValues box_values(const RowSpace& rows, const BoxLayout& layout, const Expression& formula, double t);
PartValues box_conductivity(const RowSpace& rows, const BoxSource& box, double t);
PartValues copy_of(const PartValues& values);

void scale(PartValues& values, double factor);
void take_magnitudes(PartValues& values);

// The lowest row of all ranks whose value is not finite; -1: none. Collective.
Index first_not_finite(const RowSpace& rows, const PartValues& values);

// Of u - known over all rows. Collective.
struct Differences {
  double largest = 0, rms = 0;
};
Differences differences(const RowSpace& rows, const PartValues& u, const PartValues& known);

}  // namespace halocline::sparse
