// The operator of a step as dense matrices, assembled face by face from formulas, and solutions by elimination.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "lib/fields/uniform_grid.hpp"

namespace halocline::fractional {

using Dense = std::vector<std::vector<double>>;
using Values = std::vector<double>;

// Ends of an axis: given values; or a derivative transfer (value - c), transfer 0 for a given flux.
struct DenseEnd {
  bool dirichlet = false;
  double transfer = 0;
};

struct DenseProblem {
  UniformGrid grid;
  DenseEnd ends[3][2];
  std::function<double(double, double, double)> D;
  double velocity[3] = {0, 0, 0};
  double nu = 0;

  Index number(const Index* node) const { return (node[2] * grid.extent[1] + node[1]) * grid.extent[0] + node[0]; }
  std::size_t size() const { return static_cast<std::size_t>(grid.extent[0] * grid.extent[1] * grid.extent[2]); }
  double D_at(const Index* node) const {
    return D(grid.coordinate(0, node[0]), grid.coordinate(1, node[1]), grid.coordinate(2, node[2]));
  }
  bool unknown(const Index* node) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (node[axis] == 0 && ends[axis][0].dirichlet) return false;
      if (node[axis] == grid.extent[axis] - 1 && ends[axis][1].dirichlet) return false;
    }
    return true;
  }
  template <class Call>
  void each(const Call& call) const {
    for (Index k = 0; k < grid.extent[2]; ++k)
      for (Index j = 0; j < grid.extent[1]; ++j)
        for (Index i = 0; i < grid.extent[0]; ++i) {
          const Index node[3] = {i, j, k};
          call(node, static_cast<std::size_t>(number(node)));
        }
  }
  // I - nu (sum of Lambda of the axes), the rows of Dirichlet nodes those of I.
  Dense matrix(const std::vector<int>& axes) const {
    Dense A(size(), Values(size(), 0));
    each([&](const Index* node, std::size_t row) {
      A[row][row] = 1;
      if (!unknown(node)) return;
      for (const int axis : axes) add_axis(node, row, axis, A);
    });
    return A;
  }

 private:
  // Over the cell of a node, from face to face: minus nu times the net inflow by its width.
  void add_axis(const Index* node, std::size_t row, int axis, Dense& A) const {
    const double h = grid.spacing[axis], v = velocity[axis];
    double width = 0;
    Values inflow(size(), 0);
    for (int side = 0; side < 2; ++side) {
      const Index end = side == 0 ? 0 : grid.extent[axis] - 1;
      const double outward = side == 0 ? -1 : 1;
      if (node[axis] == end) {
        inflow[row] -= ends[axis][side].transfer * D_at(node) + outward * v;
        continue;
      }
      width += h / 2;
      Index other[3] = {node[0], node[1], node[2]};
      other[axis] += side == 0 ? -1 : 1;
      const auto column = static_cast<std::size_t>(number(other));
      const double a = D_at(node), b = D_at(other), mean = 2 * a * b / (a + b) / h;
      inflow[column] += mean - outward * v / 2;
      inflow[row] -= mean + outward * v / 2;
    }
    for (std::size_t column = 0; column < size(); ++column) A[row][column] -= nu * inflow[column] / width;
  }
};

inline Values product(const Dense& A, const Values& x) {
  Values y(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += A[i][j] * x[j];
  return y;
}

}  // namespace halocline::fractional
