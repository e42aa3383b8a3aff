#include "lib/fields/lifted/lifted_looks.hpp"

#include "lib/expression/program_split.hpp"

namespace halocline {

namespace {

using Inputs = std::vector<std::span<const double>>;

Inputs inputs_of(const Program& look, std::span<const double> x, std::span<const double> y, std::span<const double> z) {
  static constexpr double zero = 0;
  Inputs inputs(static_cast<std::size_t>(look.variable_count()), std::span(&zero, 1));
  const std::span<const double> place[3] = {x, y, z};
  for (std::size_t axis = 0; axis < std::min<std::size_t>(3, inputs.size()); ++axis) inputs[axis] = place[axis];
  return inputs;
}

}  // namespace

LiftedLooks lift_looks(const ExecutorPtr& executor, const Program& program,
                       const std::function<std::vector<double>(const Program& look)>& sample) {
  StillParts parts = split_looks(program);
  LiftedLooks made{std::move(parts.rest), {}};
  for (const Program& look : parts.still) made.values.push_back(make_array(executor, sample(look)));
  return made;
}

std::vector<double> sampled_on_grid(const Program& look, const std::array<std::vector<double>, 3>& at) {
  std::vector<double> values(at[0].size() * at[1].size() * at[2].size());
  std::span<double> line(values.data(), at[0].size());
  for (const double& z : at[2])
    for (const double& y : at[1]) {
      evaluate(look, inputs_of(look, at[0], {&y, 1}, {&z, 1}), std::array{line});
      line = {line.data() + line.size(), line.size()};
    }
  return values;
}

std::vector<double> sampled_on_points(const Program& look, const std::array<std::vector<double>, 3>& at) {
  std::vector<double> values(at[0].size());
  evaluate(look, inputs_of(look, at[0], at[1], at[2]), std::array{std::span<double>(values)});
  return values;
}

}  // namespace halocline
