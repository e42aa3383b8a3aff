#include "lib/fields/line_program.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/fields/line_program_kernels.hpp"

namespace halocline {

namespace {

template <class T>
Array<T, 1> placed(const ExecutorPtr& executor, std::span<const T> values) {
  return make_array(executor, std::vector<T>(values.begin(), values.end()));
}

}  // namespace

LineProgram::LineProgram(const ExecutorPtr& executor, const Program& program, FormulaPath path)
    : executor_(executor), program_(program), by_points_(by_points(*executor, path)) {
  require(program.variable_count() <= EvaluateLines::most && program.result_count() <= EvaluateLines::most,
          "LineProgram: too many variables or results");
}

void LineProgram::evaluate(std::span<const PointInput> inputs, Index lines, Index points, const Target& to,
                           double number) const {
  if (lines == 0 || points == 0) return;
  if (by_points_) {
    const PointProgram program(executor_, program_, inputs);
    return program.evaluate<double>({1, lines, points}, {to.data, to.result, points, 0}, {number, nullptr});
  }
  require(static_cast<int>(inputs.size()) == program_.variable_count(), "LineProgram: one input per variable");
  const auto instructions = placed(executor_, program_.instructions());
  const auto constants = placed(executor_, program_.constants());
  const auto results = placed(executor_, program_.results());
  const auto variables = placed(executor_, inputs);
  ProgramView view = program_.view();
  view.instructions = instructions.view().data;
  view.constants = constants.view().data;
  view.results = results.view().data;
  const Index workers = executor_->threads();
  const int width = static_cast<int>(std::clamp<Index>(points, 2, EvaluateProgram::block));
  Array<double, 1> scratch(executor_, {workers * program_.register_count() * width});
  const double bytes = static_cast<double>(lines * points * program_.result_count()) * sizeof(double);
  launch_on_host(*executor_, {"formulas on lines", bytes}, Range<1>{{0}, {workers}},
                 EvaluateLines{view, variables.view().data, number, lines, points, to.data, to.result,
                               scratch.view().data, workers, width});
}

}  // namespace halocline
