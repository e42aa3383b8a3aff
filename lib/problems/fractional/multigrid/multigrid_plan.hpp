// MultigridPlan: the grids of multigrid for unsplit steps, and what they take. They follow from the grid, its sides and
// the factors of D along the axes alone, so that every partition has the same.
#pragma once

#include <vector>

#include "lib/problems/fractional/formulation.hpp"

namespace halocline::fractional {

/// A level lacks every second node of the one before it along the axes whose couplings D/h^2 are within a factor of two
/// of the strongest; of an even number of nodes the last one stays, unless both ends are one node to the next level.
struct LevelPlan {
  Index rows[3] = {1, 1, 1};               // nodes along x, y, z
  int halvings[3] = {0, 0, 0};             // of the axes, up to here
  bool halved[3] = {false, false, false};  // by the next level
  double least = 2;  // eigenvalue, over the diagonal and without 1/nu, of what the next level does not see; at most 2
  Index nodes() const { return rows[0] * rows[1] * rows[2]; }
};

struct MultigridPlan {
  std::vector<LevelPlan> levels;  // the finest first; the last one has one unknown
  int shared = 0;                 // levels that several parts share out; of others each of them holds everything
};

MultigridPlan plan_multigrid(const Formulation& formulation);
/// Nodes of an axis on the level that lacks every second one.
Index halved_rows(Index rows, bool periodic);
/// Values from line to line of a level below the finest, of `rows` nodes each.
Index level_pitch(Index rows);
/// Of device memory, for a part of so many planes of the finest level.
double multigrid_bytes(const Formulation& formulation, Index planes);

}  // namespace halocline::fractional
