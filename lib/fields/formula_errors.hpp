// Values that are known on all unknowns of a field in slabs: set as its own, or compared with them, on the devices that
// hold it.
#pragma once

#include <functional>

#include "lib/expression/program.hpp"
#include "lib/fields/formula_grid.hpp"
#include "lib/fields/slab_field.hpp"

namespace halocline {

struct ErrorSums {
  double square = 0, largest = 0;  // of all unknowns; NaN when any error is
};

/// Puts known values of some rows (planes) of a part to to[line][x], lines one after the other, on its executor.
using KnownRows = std::function<void(SlabRows rows, double* to)>;

/// Sum of squares over all unknowns of the field less what is known, exact over lines (on a GPU over pieces of them),
/// and the largest difference. known(part) is called once per part, by its thread. Collective. T: double or float.
template <class T>
ErrorSums errors_against(const SlabField<T>& field, const std::function<KnownRows(int part)>& known,
                         FormulaPath path = FormulaPath::of_executor);

/// The same against a formula, `program` of the first of x, y, z, t, c (which it may not use), at time t.
template <class T>
ErrorSums formula_errors(const SlabField<T>& field, const Program& program, double t,
                         FormulaPath path = FormulaPath::of_executor);

/// Own unknowns of all parts: `program` at t = 0. What lies between rows becomes 0.
template <class T>
void set_to_formula(SlabField<T>& field, const Program& program, FormulaPath path = FormulaPath::of_executor);

}  // namespace halocline
