// FormulaField: values of a formula of place, time and state on the unknowns of a grid in slabs, evaluated on the
// device that holds them, also on ghosts, so that nothing but the state itself is ever sent. Parts of a formula that
// depend on place alone are evaluated once, where that pays, with the same bits.
#pragma once

#include <memory>
#include <vector>

#include "lib/fields/slab_field.hpp"
#include "lib/fields/slab_formula.hpp"

namespace halocline {

class FormulaField {
 public:
  /// `program`: one result, of the first of the variables x, y, z, t, c. Laid out as `slabs`.
  FormulaField(const std::shared_ptr<Slabs<double>>& slabs, const Program& program,
               FormulaPath path = FormulaPath::of_executor);

  /// Whether values change while time goes on.
  bool moving() const { return uses_t_ || uses_c_; }
  /// Evaluates at time t on rows (planes) of a part, see Slabs::rows_with, or on a box, see Slabs::box_with. `c`:
  /// unknown (0, 0, 0) of the state, null where the formula does not use it. On the compute queue.
  /// `largest`: where the largest value is noted meanwhile.
  void evaluate(int part, double t, const double* c, SlabRows rows, const PointLargest& largest = {}) {
    evaluate_on(part, t, c, values_.layout(part).box(rows), largest);
  }
  void evaluate_on(int part, double t, const double* c, const SlabBox& box, const PointLargest& largest = {});
  /// For bodies that evaluate pieces of lines themselves, see row_program_kernels.hpp; on host devices.
  FormulaLines lines(int part, double t, const double* c) const;
  /// Of unknown (0, 0, 0).
  const double* data(int part) const { return values_.data(part); }
  const SlabField<double>& values() const { return values_; }
  /// Parts of the formula that are evaluated once, each a field in memory.
  int sampled() const { return static_cast<int>(sampled_.size()); }
  /// Fields in memory that a FormulaField of this program takes, its values and what is sampled.
  static Index fields(const Program& program);

 private:
  SlabField<double> values_;
  bool uses_t_, uses_c_;
  std::vector<SlabField<double>> sampled_;
  std::vector<SlabFormula> formulas_;  // of the parts
};

}  // namespace halocline
