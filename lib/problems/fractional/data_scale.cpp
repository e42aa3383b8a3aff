#include "lib/problems/fractional/data_scale.hpp"

#include <algorithm>
#include <cmath>

#include "lib/problems/fractional/node_sample.hpp"

namespace halocline::fractional {

namespace {

constexpr std::array<double, 5> sampled_times{0, 0.137, 0.382, 0.618, 1};  // over the end; no period hits all

double largest_magnitude(const Formulation& f, const Coefficient& formula, double t, std::optional<int> side = {}) {
  double largest = 0;
  NodeSample(f.grid, {&formula}, side)
      .each(
          [&](const Node&, std::span<const double> values) {
            if (std::isfinite(values[0])) largest = std::max(largest, std::abs(values[0]));
            return true;
          },
          t);
  return largest;
}

double scale_of_side(const Formulation& f, int side, double t) {
  const Side& given = f.sides[static_cast<std::size_t>(side)];
  const double value = largest_magnitude(f, given.value, t, side);
  const int axis = side / 2;
  return given.kind == SideKind::neumann ? value * (f.grid.high(axis) - f.grid.low(axis)) : value;
}

// c of  sigma D^order c = 1  at the end, the largest over all orders: s^order / (sigma Gamma(1 + order)).
double response_to_source(const Formulation& f) {
  const double s = f.levels->s(f.last);
  double least_sigma = f.sigma.number, response = 0;
  if (!f.sigma.constant()) {
    least_sigma = std::numeric_limits<double>::infinity();
    NodeSample(f.grid, {&f.sigma}).each([&](const Node&, std::span<const double> values) {
      least_sigma = std::min(least_sigma, values[0]);
      return true;
    });
  }
  const auto look = [&](double order) { response = std::max(response, std::pow(s, order) / std::tgamma(1 + order)); };
  for (const double order : f.orders) look(order);
  if (f.order_of_time) look(s < 1 ? 0 : 1);
  return response / least_sigma;
}

}  // namespace

double scale_of_data(const Formulation& f) {
  double scale = largest_magnitude(f, {0, f.initial}, 0), source = 0;
  for (const double share : sampled_times) {
    const double t = share * f.levels->t(f.last);
    for (int side = 0; side < 6; ++side) scale = std::max(scale, scale_of_side(f, side, t));
    source = std::max(source, largest_magnitude(f, f.source, t));
  }
  return std::max(scale, source * response_to_source(f));
}

double largest_capacity(const Formulation& f) { return largest_magnitude(f, f.sigma, 0); }

}  // namespace halocline::fractional
