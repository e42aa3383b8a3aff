// What rows of a box are computed from, evaluated in memory of the executor of a part. For box.cpp.
#pragma once

#include <vector>

#include "lib/fields/formula_grid.hpp"
#include "lib/problems/sparse/sources/box/box_kernels.hpp"
#include "lib/problems/sparse/sources/box/box_model.hpp"

namespace halocline::sparse {

// The coefficients of a part: `terms` points into `memory`.
struct BoxPartTerms {
  std::vector<Array<double, 1>> memory;
  BoxTerms terms;
};

BoxPartTerms evaluate_terms(const ExecutorPtr& executor, const BoxModel& model, const Range<1>& own, double t,
                            FormulaPath path);

}  // namespace halocline::sparse
