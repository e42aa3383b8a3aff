// Potential: mu = f'(c) - kappa lap c of Cahn-Hilliard on the cells of a field, with f built in or by a formula, and
// the free energy.
#pragma once

#include <optional>
#include <vector>

#include "lib/fields/measure.hpp"
#include "lib/fields/slab_formula.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/steppers/device_mask.hpp"
#include "lib/problems/diffusion/steppers/largest_value.hpp"
#include "lib/problems/diffusion/steppers/limit_watch.hpp"
#include "lib/problems/diffusion/steppers/spinodal_kernels.hpp"

namespace halocline::diffusion {

class Potential {
 public:
  /// All outlive this. `without`: by part, whether at() and compute() are not asked for; empty: none.
  Potential(const Context& context, const Formulation& formulation, const Field<double>& field,
            const std::vector<char>& without = {});

  const DoubleWell& well() const { return well_; }
  const ConvolveMask<double>& mask(int part) const { return inner_[static_cast<std::size_t>(part)].mask; }
  /// mu of cell (0, 0, 0), laid out as the field.
  double* at(int part);
  /// mu on rows (planes) of a part, for the state in the field with its halos. On the compute queue.
  void compute(int part, Rows rows);

  /// The largest f''(c), or 0: as the extremes of the state tell, perhaps twice as much; the largest of all cells,
  /// which takes the place of mu. Collective.
  double bound_of_curvature(const FieldRange& range);
  double largest_curvature(const FieldRange& range);
  /// The sum of f + kappa/2 |grad c|^2 times the volume of a cell; takes the place of mu. Exact sums over rows;
  /// collective.
  double energy();

 private:
  // Of a part, f by a formula.
  struct Formulas {
    SlabFormula value, slope, curvature;
  };
  void evaluate(SlabFormula& formula, int part, const SlabBox& box, const PointLargest& largest = {});

  const Context& context_;
  const Formulation& f_;
  const Field<double>& field_;
  DoubleWell well_;
  std::vector<Array<double, 1>> mu_;
  std::vector<DeviceMask> inner_;  // weights times -kappa
  std::vector<Formulas> formulas_;
  std::optional<DecayBound> bound_;
  LargestValue largest_;
};

}  // namespace halocline::diffusion
