// LineProgram: a program of several variables on lines of points, evaluated where the values are wanted: by rows of
// values on host devices, a thread per point on GPUs. On a host device both ways give the same bits.
//
// FormulaGrid does this for programs of x and y, and computes once what depends on one of them; here lines may lie
// anywhere, in two dimensions or in three.
#pragma once

#include <span>

#include "lib/fields/formula_grid.hpp"

namespace halocline {

class LineProgram {
 public:
  // At most 8 variables and 8 results.
  LineProgram(const ExecutorPtr& executor, const Program& program, FormulaPath path = FormulaPath::of_executor);

  struct Target {
    double* data;
    Index result;  // result r at point p of line l goes to data[r * result + l * points + p]
  };
  // `inputs`: where each variable is, in memory of the executor: one value per point of all lines (along 1, across 0),
  // per point of each line (along 1), per line (along 0, across 1), or `number` (PointInput::Source::number). On the
  // compute queue; this object and `inputs` may be gone before the work is done, the values may not.
  void evaluate(std::span<const PointInput> inputs, Index lines, Index points, const Target& to,
                double number = 0) const;

 private:
  ExecutorPtr executor_;
  Program program_;
  bool by_points_;
};

}  // namespace halocline
