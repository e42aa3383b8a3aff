#include "lib/problems/fractional/weights/alikhanov_weights.hpp"

#include <cmath>

#include "lib/problems/fractional/weights/gauss.hpp"
#include "lib/problems/fractional/weights/l1_weights.hpp"

namespace halocline::fractional {

namespace {

// (1 - order)(2 - order) int (middle - z) z^-order dz / far^(2 - order) over a cell from near to far, r = near/far. Two
// forms of the same: the first keeps its digits towards order 0, the second towards order 1.
double near_bend(double order, double r) {
  const double rest = 1 - order, width = 1 - r;
  if (order <= 0.5) {
    const double growth = std::expm1(-order * std::log(r));
    return 0.5 * order * width * (1 + r) - growth * r * (1 - 0.5 * order * width);
  }
  const double drop = -std::expm1(rest * std::log(r));
  return drop * 0.5 * (1 + r + rest * width) - rest * width;
}

// int (middle - z) (z/middle)^-order dz / width^2 by a Gauss rule whose points are taken in pairs, which cancel
// in closed form; ratio = width / (2 middle).
double far_bend(double order, double ratio) {
  static const GaussRule close = gauss_legendre(20), distant = gauss_legendre(8);
  const GaussRule& rule = ratio < 0.1 ? distant : close;
  double sum = 0;
  for (std::size_t i = rule.nodes.size() / 2; i < rule.nodes.size(); ++i) {
    const double x = rule.nodes[i], y = ratio * x;
    sum += rule.weights[i] * x * std::sinh(order * std::atanh(y)) * std::exp(-0.5 * order * std::log1p(-y * y));
  }
  return 0.5 * sum;
}

// (1 - order)/width^2 int (middle - z) z^-order dz over the cell from distance `near` > 0 on.
double bend(double order, double near, double width) {
  if (order == 1) return 0;
  const double far = near + width, middle = near + 0.5 * width;
  if (near < width) return std::pow(far, 2 - order) * near_bend(order, near / far) / ((2 - order) * width * width);
  return (1 - order) * std::pow(middle, -order) * far_bend(order, 0.5 * width / middle);
}

// What the weights of step l are made of, for one order; all times Gamma(2 - order).
struct Cells {
  const Levels& levels;
  double order, theta;
  Index l;

  double a(Index m) const {
    if (m == l) return (1 - theta) * cell_share(order, 0, (1 - theta) * levels.step(l));
    return cell_share(order, levels.reach(m, l, theta), levels.step(m));
  }
  double b(Index m) const {
    const double width = levels.step(m);
    return 2 * width / (width + levels.step(m + 1)) * bend(order, levels.reach(m, l, theta), width);
  }
};

}  // namespace

void alikhanov_weights(const Levels& levels, double order, double theta, Index l, Index first,
                       std::span<double> weights) {
  const Cells cells{levels, order, theta, l};
  const double scale = 1 / std::tgamma(2 - order);
  double before = first > 1 ? cells.b(first - 1) : 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Index m = first + static_cast<Index>(i);
    const double here = m < l ? cells.b(m) : 0;
    const double ratio = m > 1 ? levels.step(m - 1) / levels.step(m) : 0;
    weights[i] = scale * (cells.a(m) - here + ratio * before);
    before = here;
  }
}

double alikhanov_cell(const Levels& levels, double order, double theta, Index l, Index m) {
  const Cells cells{levels, order, theta, l};
  return (cells.a(m) - cells.b(m)) / std::tgamma(2 - order);
}

}  // namespace halocline::fractional
