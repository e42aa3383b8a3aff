#include "lib/problems/fractional/node_sample.hpp"

#include <algorithm>

namespace halocline::fractional {

namespace {

// Nodes along an axis, when formulas depend on so many axes.
constexpr std::array<Index, 4> most_nodes{1, 100000, 1024, 128};

std::vector<Index> evenly_chosen(Index extent, Index most) {
  const Index count = std::min(extent, most);
  std::vector<Index> chosen;
  for (Index n = 0; n < count; ++n) chosen.push_back(count == 1 ? 0 : n * (extent - 1) / (count - 1));
  return chosen;
}

}  // namespace

NodeSample::NodeSample(const UniformGrid& grid, std::vector<const Coefficient*> formulas, std::optional<int> side)
    : grid_(grid), formulas_(std::move(formulas)) {
  bool used[3] = {false, false, false};
  std::size_t axes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (side && *side / 2 == axis) continue;
    for (const Coefficient* one : formulas_) used[axis] = used[axis] || (!one->constant() && one->formula->uses(axis));
    axes += used[axis] ? 1 : 0;
  }
  for (int axis = 0; axis < 3; ++axis)
    nodes_[static_cast<std::size_t>(axis)] = evenly_chosen(grid.extent[axis], used[axis] ? most_nodes[axes] : 1);
  if (side) nodes_[static_cast<std::size_t>(*side / 2)] = {*side % 2 == 0 ? 0 : grid.extent[*side / 2] - 1};
}

void NodeSample::each(const std::function<bool(const Node& node, std::span<const double> values)>& look,
                      double t) const {
  const std::size_t row = nodes_[0].size(), count = formulas_.size();
  std::vector<double> x, results(count * row), values(count);
  for (const Index i : nodes_[0]) x.push_back(grid_.coordinate(0, i));
  const double zero = 0;
  for (const Index k : nodes_[2])
    for (const Index j : nodes_[1]) {
      const double y = grid_.coordinate(1, j), z = grid_.coordinate(2, k);
      const std::span<const double> inputs[5] = {x, {&y, 1}, {&z, 1}, {&t, 1}, {&zero, 1}};
      for (std::size_t n = 0; n < count; ++n) {
        const std::span<double> result[1] = {{results.data() + n * row, row}};
        if (formulas_[n]->constant())
          std::fill(result[0].begin(), result[0].end(), formulas_[n]->number);
        else
          evaluate(*formulas_[n]->formula, inputs, result);
      }
      for (std::size_t i = 0; i < row; ++i) {
        for (std::size_t n = 0; n < count; ++n) values[n] = results[n * row + i];
        if (!look({nodes_[0][i], j, k}, values)) return;
      }
    }
}

}  // namespace halocline::fractional
