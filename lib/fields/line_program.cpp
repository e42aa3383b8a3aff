#include "lib/fields/line_program.hpp"

#include "lib/fields/row_program.hpp"

namespace halocline {

LineProgram::LineProgram(const ExecutorPtr& executor, const Program& program, FormulaPath path)
    : executor_(executor), program_(program), by_points_(by_points(*executor, path)) {}

void LineProgram::evaluate(std::span<const PointInput> inputs, Index lines, Index points, const Target& to,
                           double number) const {
  if (lines == 0 || points == 0) return;
  const PointRange range{1, lines, points};
  const PointTarget<double> target{to.data, to.result, points, 0};
  if (by_points_) {
    PointProgram(executor_, program_, inputs).evaluate<double>(range, target, {number, nullptr});
  } else {
    RowProgram(executor_, program_, inputs).evaluate<double>(range, target, {number, nullptr});
  }
}

}  // namespace halocline
