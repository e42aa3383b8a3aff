#include "lib/fields/formula_field.hpp"

namespace halocline {

FormulaField::FormulaField(const std::shared_ptr<Slabs<double>>& slabs, const Program& program, FormulaPath path)
    : values_(slabs),
      uses_t_(program.variable_count() > 3 && program.uses(3)),
      uses_c_(program.variable_count() > 4 && program.uses(4)) {
  for (int p = 0; p < slabs->parts(); ++p)
    formulas_.emplace_back(slabs->team().executor(p), slabs->grid(), program, slabs->layout(p), path);
}

void FormulaField::evaluate(int part, double t, const double* c, SlabRows rows, const PointLargest& largest) {
  const SlabLayout& slab = values_.layout(part);
  formulas_[static_cast<std::size_t>(part)].evaluate<double>(rows, t, uses_c_ ? c : nullptr,
                                                             {values_.data(part), slab.pitch, slab.plane}, largest);
}

}  // namespace halocline
