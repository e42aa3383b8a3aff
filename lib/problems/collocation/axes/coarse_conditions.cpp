#include "lib/problems/collocation/axes/coarse_conditions.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::collocation {

namespace {

// How much a condition says about u itself, from 0 (Neumann) to 1 (Dirichlet); `length`: of the domain across the side.
double weight_of_u(const NodeCondition& c, double length) {
  const double largest = std::max(std::abs(c.alpha), std::abs(c.beta));
  const double alpha = length * (std::abs(c.alpha) / largest);
  return alpha / (alpha + std::abs(c.beta) / largest);
}

double length_across(std::size_t side, const Axis& x, const Axis& y) {
  const std::vector<double>& nodes = (side < 2 ? x : y).nodes();
  return nodes.back() - nodes.front();
}

// Of the nodes of one side at multiples of `step`.
double largest_weight(const std::vector<NodeCondition>& side, std::size_t step, double length) {
  double largest = 0;
  for (std::size_t k = 0; k < side.size(); k += step) largest = std::max(largest, weight_of_u(side[k], length));
  return largest;
}

// Every coarse node takes what says most about u on the half elements beside it, as if it did not vary there.
std::vector<NodeCondition> by_most_about_u(const std::vector<NodeCondition>& fine, std::size_t step, double length) {
  std::vector<NodeCondition> coarse;
  for (std::size_t k = 0; k < fine.size(); k += step) {
    NodeCondition most = fine[k];
    for (std::size_t n = k - std::min(k, step / 2); n <= std::min(k + step / 2, fine.size() - 1); ++n)
      if (weight_of_u(fine[n], length) > weight_of_u(most, length)) most = {fine[n].alpha, fine[n].beta, 0, 0};
    coarse.push_back(most);
  }
  return coarse;
}

// What is left of u on coarse nodes, as a share of what there is on fine ones, with which their conditions still do.
constexpr double least_share = 0.01;

}  // namespace

SideConditions conditions_on_mesh(const SideConditions& fine, const Axis& x, const Axis& y) {
  std::array<std::size_t, 4> step{};
  double on_fine = 0, on_coarse = 0;
  for (std::size_t side = 0; side < 4; ++side) {
    step[side] = (fine.sides[side].size() - 1) / static_cast<std::size_t>((side < 2 ? y : x).elements());
    const double length = length_across(side, x, y);
    on_fine = std::max(on_fine, largest_weight(fine.sides[side], 1, length));
    on_coarse = std::max(on_coarse, largest_weight(fine.sides[side], step[side], length));
  }
  if (on_coarse >= least_share * on_fine) return fine;
  SideConditions coarse;
  for (std::size_t side = 0; side < 4; ++side) {
    const double length = length_across(side, x, y);
    std::vector<NodeCondition>& made = coarse.sides[side] = by_most_about_u(fine.sides[side], step[side], length);
    if (made.empty() || !(side < 2 ? y : x).periodic()) continue;
    const bool low = weight_of_u(made.front(), length) > weight_of_u(made.back(), length);
    made.front() = made.back() = low ? made.front() : made.back();  // one node
  }
  return coarse;
}

}  // namespace halocline::collocation
