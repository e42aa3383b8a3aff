// RandomFlux: a RandomBlock with D, a source and D on walls, random as well.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "lib/problems/diffusion/steppers/flux_kernels.hpp"
#include "tests/unit/diffusion/host/random_block.hpp"

namespace halocline::diffusion {

struct RandomFlux {
  RandomBlock<double> part;
  std::vector<double> D, source, on_walls[3][2];
  FluxTerms terms;

  RandomFlux(const RandomShape& s, unsigned seed) : part(s, seed) {
    std::mt19937 random(seed);
    const auto number = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
    const ConvolveBlock<double>& b = part.block;
    const auto skip = static_cast<std::size_t>(b.origin());
    D.resize(static_cast<std::size_t>(b.values()));
    for (double& value : D) value = std::max(0.0, number() - 0.1);
    terms.D = D.data() + skip;
    if (seed % 2 == 0) {
      source.resize(D.size());
      for (double& value : source) value = number();
      terms.source = source.data() + skip;
    }
    terms.dt = 0.1, terms.k[0] = 0.1, terms.k[1] = 0.15, terms.k[2] = 0.05;
    for (int axis = 0; axis < b.dimensions; ++axis)
      for (int side = 0; side < 2; ++side) {
        if (b.walls[axis][side].kind != WallKind::affine || (seed + static_cast<unsigned>(axis)) % 3 == 0) continue;
        const Index fast = b.extent[axis == 0 ? 1 : 0], slow = b.extent[axis == 2 ? 1 : 2];
        auto& values = on_walls[axis][side];
        for (Index n = 0; n < fast * slow; ++n) values.push_back(number());
        terms.walls[axis][side].values = values.data();
        terms.walls[axis][side].slow = fast;
      }
  }
};

// Walls of any kind, or other parts across the slow axis and, in space, across y. draw(lo, hi): a random number from lo
// to hi.
template <class Draw>
void draw_sides(RandomShape& s, const Draw& draw) {
  const int slow = s.dimensions - 1;
  for (int axis = 0; axis < s.dimensions; ++axis) {
    const bool periodic = draw(0, 2) == 0;
    for (auto& side : s.sides[axis])
      side = axis == slow && draw(0, 1) == 0 ? WallKind::open : periodic ? WallKind::periodic : WallKind::affine;
  }
  if ((s.sides[slow][0] == WallKind::periodic) != (s.sides[slow][1] == WallKind::periodic))
    s.sides[slow][0] = s.sides[slow][1] = WallKind::open;
  if (slow == 2 && draw(0, 1) == 0)
    for (auto& side : s.sides[1]) side = draw(0, 2) > 0 ? WallKind::open : WallKind::affine;
}

}  // namespace halocline::diffusion
