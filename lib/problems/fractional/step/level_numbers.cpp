#include "lib/problems/fractional/step/level_numbers.hpp"

namespace halocline::fractional {

LevelNumbers LevelNumbers::of(const Weights& weights, Index level, double ratio) {
  require(weights.media() <= most_media, "LevelNumbers: too many media");
  LevelNumbers n;
  n.level = level;
  n.t = weights.levels().t(level);
  n.ratio = ratio;
  n.media = weights.media();
  for (int m = 0; m < n.media; ++m) {
    const double theta = weights.theta(level, m);
    n.t_within.of[m] = weights.levels().time_within(level, theta);
    n.theta.of[m] = theta;
    n.local.of[m] = weights.local(level, m);
    n.ahead.of[m] = (1 - theta) * ratio;
  }
  return n;
}

}  // namespace halocline::fractional
