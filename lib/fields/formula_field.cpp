#include "lib/fields/formula_field.hpp"

#include "lib/expression/program_split.hpp"
#include "lib/fields/row_program_kernels.hpp"

namespace halocline {

namespace {

constexpr int place_variables = 3, all_variables = 5;
constexpr int most_sampled = 3;  // RowProgram takes eight variables

bool uses(const Program& program, int variable) {
  return program.variable_count() > variable && program.uses(variable);
}

// Parts that are evaluated once, and the rest.
StillParts split(const Program& program) {
  if (program.variable_count() == all_variables && (uses(program, 3) || uses(program, 4)))
    return split_still(program, place_variables, most_sampled);
  return {{}, program};
}

}  // namespace

FormulaField::FormulaField(const std::shared_ptr<Slabs<double>>& slabs, const Program& program, FormulaPath path)
    : values_(slabs), uses_t_(uses(program, 3)), uses_c_(uses(program, 4)) {
  const StillParts parts = split(program);
  for (std::size_t n = 0; n < parts.still.size(); ++n) sampled_.emplace_back(slabs);
  for (int p = 0; p < slabs->parts(); ++p) {
    std::vector<const double*> fields;
    for (SlabField<double>& field : sampled_) fields.push_back(field.data(p));
    formulas_.emplace_back(slabs->team().executor(p), slabs->grid(), parts.rest, slabs->layout(p), path, fields);
  }
  if (sampled_.empty()) return;
  slabs->team().each([&](int p) {
    const SlabLayout& slab = slabs->layout(p);
    const ExecutorPtr& executor = slabs->team().executor(p);
    for (std::size_t n = 0; n < sampled_.size(); ++n) {
      SlabFormula formula(executor, slabs->grid(), parts.still[n], slab, path);
      SlabBox all = slab.box({-slab.halo, slab.slow_extent() + slab.halo});
      all.along_y.lo -= slab.rim, all.along_y.hi += slab.rim;
      formula.evaluate_on<double>(all, 0, nullptr, {sampled_[n].data(p), slab.pitch, slab.plane});
      executor->synchronize();
    }
  });
}

Index FormulaField::fields(const Program& program) { return 1 + static_cast<Index>(split(program).still.size()); }

void FormulaField::evaluate_on(int part, double t, const double* c, const SlabBox& box, const PointLargest& largest) {
  const SlabLayout& slab = values_.layout(part);
  formulas_[static_cast<std::size_t>(part)].evaluate_on<double>(box, t, uses_c_ ? c : nullptr,
                                                                {values_.data(part), slab.pitch, slab.plane}, largest);
}

FormulaLines FormulaField::lines(int part, double t, const double* c) const {
  return formulas_[static_cast<std::size_t>(part)].lines(t, uses_c_ ? c : nullptr);
}

}  // namespace halocline
