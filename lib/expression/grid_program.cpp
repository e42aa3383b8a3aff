#include "lib/expression/grid_program.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"
#include "lib/expression/program_split.hpp"
#include "lib/expression/vector_functions.hpp"

namespace halocline {

namespace {

constexpr int most_rows = 255;
constexpr int width = EvaluateProgram::block;

// All results of a program of (x, y) that uses one of them, [result][point].
std::vector<double> tabulate(const Program& program, std::span<const double> points) {
  std::vector<double> table(static_cast<std::size_t>(program.result_count()) * points.size());
  std::vector<std::span<double>> rows;
  for (int r = 0; r < program.result_count(); ++r)
    rows.push_back(std::span(table).subspan(static_cast<std::size_t>(r) * points.size(), points.size()));
  const std::array<std::span<const double>, 2> inputs{points, points};
  if (!points.empty()) evaluate(program, inputs, rows);
  return table;
}

}  // namespace

GridProgram::GridProgram(const Program& program, std::span<const double> x, std::span<const double> y,
                         Functions functions)
    : functions_(functions) {
  ProgramParts parts = split_program(program, most_rows);
  points_ = std::move(parts.points);
  x_rows_ = parts.x.result_count();
  y_rows_ = parts.y.result_count();
  y_count_ = static_cast<Index>(y.size());
  y_values_ = tabulate(parts.y, y);
  const std::vector<double> rows = tabulate(parts.x, x);
  x_values_.resize(rows.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int r = 0; r < x_rows_; ++r)
      x_values_[i * static_cast<std::size_t>(x_rows_) + r] = rows[static_cast<std::size_t>(r) * x.size() + i];
}

ProgramRow GridProgram::operand(std::uint32_t index, Index i, Index j, const double* registers) const {
  const auto x_rows = static_cast<std::uint32_t>(x_rows_), y_rows = static_cast<std::uint32_t>(y_rows_);
  if (index < x_rows) return {x_values_.data() + i * x_rows_ + index, true};
  index -= x_rows;
  if (index < y_rows) return {y_values_.data() + index * y_count_ + j, false};
  index -= y_rows;
  const std::span<const double> constants = points_.constants();
  if (index < constants.size()) return {constants.data() + index, true};
  return {registers + (index - static_cast<Index>(constants.size())) * width, false};
}

void GridProgram::run(Index i, Index j, int count, double* registers) const {
  for (const Instruction& step : points_.instructions()) {
    const int operands = arity(step.operation);
    ApplyToRows action{
        registers + static_cast<Index>(step.result) * width, operand(step.a, i, j, registers), {}, {}, count};
    if (operands > 1) action.b = operand(step.b, i, j, registers);
    if (operands > 2) action.c = operand(step.c, i, j, registers);
    if (step.operation == Operation::look) {
      look_up(points_.rasters()[step.raster]->view, action);
      continue;
    }
    const bool done =
        functions_ == Functions::fast && apply_in_registers(step.operation, action.to, action.a, action.b, count);
    if (!done) dispatch(step.operation, action);
  }
}

template <class T>
void GridProgram::evaluate(Index i, Index first, Index end, T* const* results, Scratch& scratch) const {
  scratch.resize(std::max(scratch.size(), static_cast<std::size_t>(points_.register_count() * width)));
  for (Index j = first; j < end; j += width) {
    const int count = static_cast<int>(std::min<Index>(width, end - j));
    run(i, j, count, scratch.data());
    for (int r = 0; r < result_count(); ++r) {
      const ProgramRow from = operand(points_.results()[r], i, j, scratch.data());
      T* to = results[r] + (j - first);
      if (from.single) {
        std::fill(to, to + count, static_cast<T>(*from.values));
      } else {
        for (int k = 0; k < count; ++k) to[k] = static_cast<T>(from.values[k]);
      }
    }
  }
}

template void GridProgram::evaluate(Index, Index, Index, double* const*, Scratch&) const;
template void GridProgram::evaluate(Index, Index, Index, float* const*, Scratch&) const;

}  // namespace halocline
