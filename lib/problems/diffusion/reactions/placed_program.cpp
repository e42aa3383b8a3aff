#include "lib/problems/diffusion/reactions/placed_program.hpp"

#include <vector>

namespace halocline::diffusion {

namespace {

template <class T>
std::vector<T> listed(std::span<const T> values) {
  return {values.begin(), values.end()};
}

std::vector<PointInstruction> packed(std::span<const Instruction> instructions) {
  std::vector<PointInstruction> list;
  for (const Instruction& step : instructions)
    list.push_back({static_cast<std::uint32_t>(step.operation), step.result, step.a, step.b, step.c});
  return list;
}

}  // namespace

PlacedProgram::PlacedProgram(const ExecutorPtr& executor, const Program& program, FormulaPath path)
    : by_points_(halocline::by_points(*executor, path)),
      constants_(make_array(executor, listed(program.constants()))),
      results_(make_array(executor, listed(program.results()))) {
  if (by_points_) {
    point_instructions_ = make_array(executor, packed(program.instructions()));
  } else {
    instructions_ = make_array(executor, listed(program.instructions()));
  }
  rows_ = program.view();
  rows_.instructions = instructions_.view().data;
  rows_.constants = constants_.view().data;
  rows_.results = results_.view().data;
  points_ = {point_instructions_.view().data,
             constants_.view().data,
             results_.view().data,
             rows_.instruction_count,
             rows_.constant_count,
             rows_.result_count,
             rows_.variable_count};
}

}  // namespace halocline::diffusion
