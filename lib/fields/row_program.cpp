#include "lib/fields/row_program.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/fields/point_program.hpp"
#include "lib/fields/row_program_kernels.hpp"

namespace halocline {

RowProgram::RowProgram(const ExecutorPtr& executor, const Program& program, std::span<const PointInput> inputs)
    : executor_(executor),
      program_(program),
      instructions_(placed(executor, program.instructions())),
      constants_(placed(executor, program.constants())),
      results_(placed(executor, program.results())),
      inputs_(placed(executor, inputs)) {
  constexpr int most = EvaluateRows<double>::most;
  require(program.variable_count() <= most && program.result_count() <= most,
          "RowProgram: too many variables or results");
  require(static_cast<int>(inputs.size()) == program.variable_count(), "RowProgram: one input per variable");
}

ProgramView RowProgram::view() const {
  ProgramView view = program_.view();
  view.instructions = instructions_.view().data;
  view.constants = constants_.view().data;
  view.results = results_.view().data;
  return view;
}

FormulaLines RowProgram::lines(const PointGiven& given) const { return {view(), inputs_.view().data, given}; }

template <class T>
void RowProgram::evaluate(const PointRange& range, const PointTarget<T>& to, const PointGiven& given,
                          const PointLargest& largest) {
  const Index lines = range.planes * range.lines, workers = executor_->threads();
  if (lines == 0 || range.points == 0) return;
  const int width = static_cast<int>(std::clamp<Index>(range.points, 2, EvaluateProgram::block));
  const Index results = program_.result_count();
  const Index scratch = workers * EvaluateRows<T>::scratch_of(program_.register_count(), width, results, range.points);
  if (scratch_.size() < scratch) scratch_ = Array<double, 1>(executor_, {scratch});
  const Index bytes = results * static_cast<Index>(sizeof(T)) + (given.field ? static_cast<Index>(sizeof(double)) : 0);
  launch_on_host(
      *executor_, {"formula by rows", static_cast<double>(lines * range.points * bytes)}, Range<1>{{0}, {workers}},
      EvaluateRows<T>{view(), inputs_.view().data, given, range, to, scratch_.view().data, workers, width, largest});
}

template void RowProgram::evaluate(const PointRange&, const PointTarget<double>&, const PointGiven&,
                                   const PointLargest&);
template void RowProgram::evaluate(const PointRange&, const PointTarget<float>&, const PointGiven&,
                                   const PointLargest&);

}  // namespace halocline
