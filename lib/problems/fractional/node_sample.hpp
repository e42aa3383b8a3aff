// NodeSample: nodes at which formulas of a deck are looked at before a run: all of them, or evenly chosen ones.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lib/problems/fractional/formulation.hpp"

namespace halocline::fractional {

using Node = std::array<Index, 3>;

class NodeSample {
 public:
  // Of the nodes of a grid, or of those of one side. Along axes that none of the formulas depends on one node stands
  // for all; along others all nodes up to a number that keeps the sample small, those at both ends among them.
  NodeSample(const UniformGrid& grid, std::vector<const Coefficient*> formulas, std::optional<int> side = {});

  // Gives the values of all formulas at each node of the sample, at time t and c = 0, until `look` returns false.
  void each(const std::function<bool(const Node& node, std::span<const double> values)>& look, double t = 0) const;

 private:
  const UniformGrid& grid_;
  std::vector<const Coefficient*> formulas_;
  std::array<std::vector<Index>, 3> nodes_;  // chosen along the axes
};

}  // namespace halocline::fractional
