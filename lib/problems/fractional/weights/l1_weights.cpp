#include "lib/problems/fractional/weights/l1_weights.hpp"

#include <cmath>

namespace halocline::fractional {

double cell_share(double order, double near, double width) {
  if (order == 1) return near == 0 ? 1 / width : 0;
  const double rest = 1 - order, far = near + width;
  // log(near/far), from whichever of near and width is the smaller.
  const double logarithm = near < width ? std::log(near / far) : std::log1p(-width / far);
  return std::pow(far, rest) * -std::expm1(rest * logarithm) / width;
}

void l1_weights(const Levels& levels, double order, Index l, Index first, std::span<double> weights) {
  const double scale = 1 / std::tgamma(2 - order);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Index m = first + static_cast<Index>(i);
    weights[i] = scale * cell_share(order, levels.span(m, l), levels.step(m));
  }
}

}  // namespace halocline::fractional
