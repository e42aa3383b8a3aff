// Walls: what the deck gives on the sides, as the rules of lib/problems/diffusion/convolve_kernels.hpp for any piece of
// a side.
#pragma once

#include <array>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/expression/program.hpp"
#include "lib/expression/scope.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/options.hpp"

namespace halocline::diffusion {

// Whether D on a wall matters: something passes through it, and how much follows from D.
constexpr bool D_counts(SideKind kind) {
  return kind != SideKind::no_flux && kind != SideKind::periodic && kind != SideKind::flux;
}

// One piece of a side with its condition.
struct Segment {
  double from[3], to[3];  // by axis, half open; the axis across the side is unused
  SideKind kind = SideKind::no_flux;
  double transfer = 0;
  bool has_value = false;
  Program value;  // of x, y, z, t, c
  bool covers(int axis, const double (&at)[3], double tolerance) const;
};

struct Side {
  std::vector<Segment> segments;  // together they cover the side
  bool periodic = false;
  bool moving = false;                                                            // some value depends on t
  std::size_t at(int axis, const double (&position)[3], double tolerance) const;  // number of the piece there
};

// A box of positions along a side: `slow` and `fast` as in WallRule, half open, may reach outside the side.
struct WallPatch {
  Index slow_from = 0, slow_to = 1, fast_from = 0, fast_to = 1;
  Index slow_count() const { return slow_to - slow_from; }
  Index fast_count() const { return fast_to - fast_from; }
  Index count() const { return slow_count() * fast_count(); }
  WallPatch moved(Index slow, Index fast) const {
    return {slow_from + slow, slow_to + slow, fast_from + fast, fast_to + fast};
  }
};

class Walls {
 public:
  // Reports every fault: pieces that overlap or lie outside, sides not covered, periodic opposite to something else,
  // kinds the layout does not have, values missing, not finite or too many.
  Walls(const WallsOptions& options, const UniformGrid& geometry, const Scope& scope, Faults& faults);

  bool periodic(int axis) const { return side(axis, 0).periodic; }
  bool moving() const;
  // Some piece has its flux given. What D along an axis such a flux is over; 1 until it is said, and where D varies,
  // for steps in flux form then multiply with 1 there.
  bool has_flux() const;
  void set_diffusivity(int axis, double D) { diffusivity_[static_cast<std::size_t>(axis)] = D; }
  // All sides are no_flux or periodic.
  bool closed() const;
  const Side& side(int axis, int which) const { return sides_[static_cast<std::size_t>(2 * axis + which)]; }

  // alpha and beta of `rings` rings at time t, [ring][slow][fast]; layout hiperc: `fixed` too, [slow][fast].
  // The axes slow and fast of a side are z, y for x sides, z, x for y sides, y, x for z sides.
  struct Values {
    std::vector<double> alpha, beta, fixed;
  };
  // The positions of a patch: where they are, the nearest place on the side itself, and the number of the piece there.
  struct Positions {
    std::vector<double> at[3], inside[3];
    std::vector<std::size_t> piece;
  };
  Positions positions(int axis, int which, const WallPatch& patch) const;
  Values values(int axis, int which, const Positions& positions, int rings, double t) const;
  // Whether the deck's values are finite on the whole patch.
  bool finite(int axis, int which, const Positions& positions, double t) const;

 private:
  std::vector<double> given(const Side& side, const Positions& p, double t) const;

  UniformGrid geometry_;
  std::array<Side, 6> sides_;
  std::array<double, 3> diffusivity_{1, 1, 1};
};

// The two other axes of a side across `axis`, as WallRule counts them.
struct SideAxes {
  int slow, fast;
};
constexpr SideAxes axes_of_side(int axis) {
  return axis == 0 ? SideAxes{2, 1} : axis == 1 ? SideAxes{2, 0} : SideAxes{1, 0};
}

}  // namespace halocline::diffusion
