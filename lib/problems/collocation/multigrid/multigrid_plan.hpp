// MultigridPlan: the meshes of the hierarchy, the smoother and which parts hold which levels, decided before anything
// is allocated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/multigrid/coarse_places.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"

namespace halocline::collocation {

constexpr Index largest_coarsest = 4096;  // elements of the coarsest mesh
// On up to so many parts the levels that are not shared out are on every part; on more see choose_places().
constexpr int few_parts = 8;
constexpr Index replicated_below = 256;  // levels of that many elements along x, or fewer, are on each of a few parts
// The same where all parts are GPUs: what one spends on 512 x 512 elements is less than the exchanges of a shared
// level.
constexpr Index replicated_on_gpus = 512;

struct SmoothingPlan {
  Smoothing smoothing = Smoothing::node;
  // Lines along x must not be cut between parts, so that no level is distributed: with `hline`, and with `alt` where
  // the coupling along x is more than 1000 times as strong somewhere.
  bool whole_lines = false;
};

struct MultigridPlan : SmoothingPlan, CoarsePlaces {
  std::vector<Axis> x, y;  // of the levels, the finest first
  std::string why;         // what ended coarsening, where not the size; for messages

  int levels() const { return static_cast<int>(x.size()); }
  Index coarsest_elements() const { return x.back().elements() * y.back().elements(); }
  Partition lines(const Partition& finest, int level) const { return CoarsePlaces::lines(x, finest, level); }
  Partition computed(const Partition& finest, int level) const { return CoarsePlaces::computed(x, finest, level); }
  std::vector<int> holders(const Partition& finest) const { return CoarsePlaces::holders(x, finest); }
  // "level 3 on 64 parts, level 6 on each of 2", nothing where all parts have all levels; for messages.
  std::string coarse_levels(int parts) const;
};

// For a deck's choice; automatic by the largest ratio, over all points looked at, of the coupling along y to that along
// x, (c/hy^2) / (a/hx^2), and its inverse: node up to 10, else lines along what is strongly coupled.
SmoothingPlan plan_smoothing(const Formulation& problem, SmootherChoice choice);

// Every second node is dropped while both numbers of elements are even and above 8, unless the next mesh is too coarse
// for convection (cell Peclet number max(|d| hx / 2a, |e| hy / 2c) above 3.5 with node smoothing, 12 with lines) or for
// a positive eta (eta H^2 > min(a, c)). Coefficients are looked at in a sample of points.
MultigridPlan plan_multigrid(const Formulation& problem, SmootherChoice choice, int parts,
                             Index replicate = replicated_below);

// Why multigrid cannot solve this, in words; nothing when it can.
std::optional<std::string> multigrid_obstacle(const Formulation& problem, const MultigridPlan& plan);

}  // namespace halocline::collocation
