// FormulaField: values of a formula of (x, y, z, t, c) on the cells of a Field, evaluated on the device that holds
// them, also in the halo, so that nothing but c itself is ever sent.
#pragma once

#include <vector>

#include "lib/problems/diffusion/steppers/cell_formula.hpp"

namespace halocline::diffusion {

class FormulaField {
 public:
  // `program`: one result, of the five variables. The field outlives this.
  FormulaField(const Context& context, const UniformGrid& geometry, const Program& program, const Field<double>& field);

  // Whether values change while time goes on.
  bool moving() const { return uses_t_ || uses_c_; }
  // Evaluates at time t with the field's old state on the cells of a part and, where it has neighbors, on `halo` rows
  // (planes) of them. On the compute queue.
  void evaluate(int part, double t, Index halo);
  // Of cell (0, 0, 0), laid out as the arrays of the field's block.
  const double* values(int part) const;

 private:
  struct PartMemory {
    CellFormula formula;
    Array<double, 1> values;
    Index origin;  // of cell 0
  };

  const Field<double>& field_;
  bool uses_t_, uses_c_;
  std::vector<PartMemory> memory_;
};

}  // namespace halocline::diffusion
