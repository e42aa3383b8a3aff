// Meshes and formulations, made without a deck, for the tests of multigrid.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "lib/expression/scope.hpp"
#include "lib/problems/collocation/discretization/coefficients.hpp"
#include "lib/problems/collocation/formulation.hpp"

namespace halocline::collocation {

// Unknowns or equations of all nodes: [node i][node j][component].
struct Nodes {
  Nodes(Index nx, Index ny) : ny(ny), values(static_cast<std::size_t>(4 * (nx + 1) * (ny + 1))) {}
  double& operator()(Index i, Index j, int c) { return values[4 * (i * (ny + 1) + j) + c]; }
  double operator()(Index i, Index j, int c) const { return values[4 * (i * (ny + 1) + j) + c]; }
  Index ny;
  std::vector<double> values;
};

inline std::vector<double> uniform_nodes(double from, double to, Index n) {
  std::vector<double> nodes;
  for (Index i = 0; i <= n; ++i) nodes.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(n));
  return nodes;
}

// Nodes map(t) for t = i/n.
template <class Map>
std::vector<double> mapped_nodes(Index n, const Map& map) {
  std::vector<double> nodes = uniform_nodes(0, 1, n);
  for (double& node : nodes) node = map(node);
  return nodes;
}

// Element lengths between 1 and `ratio`, scaled to the unit interval.
inline std::vector<double> random_nodes(Index n, double ratio, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> length(1, ratio);
  std::vector<double> nodes{0};
  for (Index i = 0; i < n; ++i) nodes.push_back(nodes.back() + length(random));
  const double last = nodes.back();
  for (double& node : nodes) node /= last;
  return nodes;
}

constexpr EndCondition dirichlet{1, 0}, neumann{0, 1}, robin_low{2, 1}, robin_high{1, 3};

// The equation with these coefficients (a, b, c, d, e, eta: formulas in x and y) that `exact` solves, side data as the
// default of decks makes them: values at nodes, slopes interpolated.
inline Formulation make_formulation(const Axis& x, const Axis& y, const std::array<std::string, 6>& coefficients,
                                    const std::string& exact = "0", const Definitions& names = {}) {
  static constexpr std::array<const char*, 2> xy{"x", "y"};
  const Scope scope(xy, names);
  const auto parse = [&scope](const std::string& text) { return scope.parse(Formula{text, {"test", 1, 1}}); };
  std::vector<Expression> terms;
  bool constant = true;
  std::array<double, 6> numbers{};
  for (int k = 0; k < 6; ++k) {
    terms.push_back(parse(coefficients[k]));
    constant = constant && terms.back().is_constant();
    if (constant) numbers[k] = terms.back().value();
  }
  const Expression u = parse(exact), u_x = derivative(u, 0), u_y = derivative(u, 1), u_xy = derivative(u_x, 1);
  const Expression f = terms[0] * derivative(u_x, 0) + 2 * terms[1] * u_xy + terms[2] * derivative(u_y, 1) +
                       terms[3] * u_x + terms[4] * u_y + terms[5] * u;
  const auto program = [](const std::vector<Expression>& list) { return Program(list, 2); };
  std::array<SideData, 4> sides;
  for (int side = 0; side < 4; ++side) {
    const bool x_side = side < 2;
    const End end = side % 2 == 0 ? End::low : End::high;
    const Axis &across = x_side ? x : y, &along = x_side ? y : x;
    const double at = end == End::low ? across.nodes().front() : across.nodes().back();
    const EndCondition given = across.condition(end);
    const double outward = end == End::low ? -given.beta : given.beta;
    const Expression data = given.alpha * u + outward * (x_side ? u_x : u_y);
    const auto values = [&](const std::vector<double>& points) {
      std::vector<double> result;
      for (const double s : points) {
        const std::array<double, 2> point = x_side ? std::array<double, 2>{at, s} : std::array<double, 2>{s, at};
        result.push_back(evaluate(data, point));
      }
      return result;
    };
    const std::vector<double> at_nodes = values(along.nodes());
    const std::vector<double> slopes = along.scaled_slopes(at_nodes, values(along.gauss()));
    for (std::size_t i = 0; i < at_nodes.size(); ++i) {
      sides[side].push_back(at_nodes[i]);
      sides[side].push_back(slopes[i]);
    }
  }
  Formulation problem{x, y, program(terms), {}, {}, program({f}), {}, Boundary(sides, x, y), false, {}};
  if (constant) problem.constants = numbers;
  problem.has_exact = true;
  problem.exact = program({u, u_x, u_y, u_xy});
  return problem;
}

// One equation of a mesh: Gauss point (gx, gy); node and component as in nodal_layout.hpp.
struct EquationPlace {
  Index gx, gy, i, j;
  int component;
};

template <class Visit>
void for_each_equation(Index nx, Index ny, const Visit& visit) {
  for (Index gx = 0; gx < 2 * nx; ++gx)
    for (Index gy = 0; gy < 2 * ny; ++gy)
      visit(EquationPlace{gx, gy, (gx + 1) / 2, (gy + 1) / 2, static_cast<int>((gx + 1) % 2 + 2 * ((gy + 1) % 2))});
}

}  // namespace halocline::collocation
