#include "lib/fields/point_program.hpp"

#include <algorithm>

#include "gpu/launch.hpp"

namespace halocline {

namespace {

// A GPU sets aside the registers of a thread for as many threads as it can hold, 256 bytes each; the few programs that
// need more have them in memory of their own, for about so many points at a time.
constexpr int own_registers = 32;
constexpr Index points_at_a_time = Index{1} << 18;

std::vector<PointInstruction> packed(std::span<const Instruction> instructions) {
  std::vector<PointInstruction> list;
  for (const Instruction& step : instructions) {
    const PointInstruction one{static_cast<std::uint32_t>(step.operation), step.result, step.a, step.b, step.c};
    require(one.result == step.result, "PointProgram: too many registers");
    list.push_back(one);
  }
  return list;
}

}  // namespace

PointProgram::PointProgram(const ExecutorPtr& executor, const Program& program, std::span<const PointInput> inputs)
    : executor_(executor),
      registers_(program.register_count()),
      instructions_(make_array(executor, packed(program.instructions()))),
      constants_(placed(executor, program.constants())),
      results_(placed(executor, program.results())),
      inputs_(placed(executor, inputs)) {
  require(static_cast<int>(inputs.size()) == program.variable_count(), "PointProgram: one input per variable");
  require(program.rasters().empty(), "PointProgram: rasters are looked up on the host");
  view_ = {instructions_.view().data,
           constants_.view().data,
           results_.view().data,
           static_cast<std::uint32_t>(instructions_.size()),
           static_cast<std::uint32_t>(constants_.size()),
           static_cast<std::uint32_t>(results_.size()),
           static_cast<std::uint32_t>(program.variable_count())};
}

template <class T>
void PointProgram::evaluate(const PointRange& range, const PointTarget<T>& to, const PointGiven& given,
                            const PointLargest& largest) const {
  const Index rows = range.planes * range.lines;
  if (rows == 0 || range.points == 0) return;
  const PointInput* inputs = inputs_.view().data;
  const auto written = static_cast<double>(static_cast<Index>(results_.size()) * range.points) * sizeof(T);  // per row
  if (registers_ <= own_registers)
    return launch_rows(*executor_, {"formula", static_cast<double>(rows) * written},
                       Range<2>{{0, 0}, {rows, range.points}},
                       EvaluatePoints<T, own_registers>{view_, inputs, given, range, to, nullptr, 0, 0, largest});
  const Index step = std::clamp<Index>(points_at_a_time / range.points, 1, rows), workers = step * range.points;
  Array<double, 1> scratch(executor_, {registers_ * workers});
  for (Index first = 0; first < rows; first += step)
    launch_rows(*executor_, "long formula", Range<2>{{first, 0}, {std::min(first + step, rows), range.points}},
                EvaluatePoints<T, 0>{view_, inputs, given, range, to, scratch.view().data, first, workers, largest});
}

template void PointProgram::evaluate(const PointRange&, const PointTarget<double>&, const PointGiven&,
                                     const PointLargest&) const;
template void PointProgram::evaluate(const PointRange&, const PointTarget<float>&, const PointGiven&,
                                     const PointLargest&) const;

}  // namespace halocline
