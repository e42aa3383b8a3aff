#include "lib/problems/fractional/multigrid/multigrid_plan.hpp"

#include <algorithm>

#include "lib/fields/slabs.hpp"
#include "lib/linalg/strips/strips.hpp"

namespace halocline::fractional {

namespace {

constexpr double weak = 0.5;            // times the strongest coupling: an axis below waits for the others
constexpr Index few_nodes = 2048;       // are not worth messages
constexpr Index values_per_line = 16;   // lines begin at multiples, as those of fields
constexpr int vectors = 3, fields = 4;  // of a level; fields of coefficients

// Until one node is left, or one that is no node of a Dirichlet side.
bool can_be_halved(const Formulation& f, int axis, Index rows) {
  return rows > 1 + (f.dirichlet(2 * axis) ? 1 : 0) + (f.dirichlet(2 * axis + 1) ? 1 : 0);
}

// Chooses the axes that the next level halves; false: none is left.
bool choose_axes(const Formulation& f, const double* coupling, LevelPlan& level) {
  double strongest = 0, sum = 0, least = 0;
  for (int a = 0; a < 3; ++a) {
    if (!can_be_halved(f, a, level.rows[a])) continue;
    strongest = std::max(strongest, coupling[a]);
    sum += coupling[a];
  }
  for (int a = 0; a < 3; ++a) {
    level.halved[a] = can_be_halved(f, a, level.rows[a]) && coupling[a] >= weak * strongest;
    if (level.halved[a]) least = least > 0 ? std::min(least, coupling[a]) : coupling[a];
  }
  if (sum > 0) level.least = least / sum;
  return level.halved[0] || level.halved[1] || level.halved[2];
}

// Whether tables of the axes do for fields of coefficients.
bool has_axis_tables(const Formulation& f) { return !f.rows_vary() && !f.mu_varies(); }

}  // namespace

Index halved_rows(Index rows, bool periodic) {
  if (periodic) return (rows + 1) / 2;
  return rows == 2 ? 1 : rows / 2 + 1;
}

Index level_pitch(Index rows) { return slab_pitch(rows, values_per_line, sizeof(double)); }

MultigridPlan plan_multigrid(const Formulation& f) {
  MultigridPlan plan;
  double coupling[3];
  LevelPlan level;
  for (int a = 0; a < 3; ++a) {
    level.rows[a] = f.grid.extent[a];
    coupling[a] = f.along[a] / (f.grid.spacing[a] * f.grid.spacing[a]);
  }
  // Strips of every part keep a plane.
  const auto shares = [&, strip = static_cast<Index>(strips::strip_layout(f.grid.extent[2]).length)] {
    return (Index{1} << level.halvings[2]) <= strip && level.nodes() > few_nodes;
  };
  while (choose_axes(f, coupling, level)) {
    if (plan.shared == static_cast<int>(plan.levels.size()) && (plan.levels.empty() || shares())) ++plan.shared;
    plan.levels.push_back(level);
    for (int a = 0; a < 3; ++a) {
      if (!level.halved[a]) continue;
      level.rows[a] = halved_rows(level.rows[a], f.grid.periodic[a]);
      ++level.halvings[a];
      coupling[a] /= 4;
    }
  }
  plan.levels.push_back(level);
  return plan;
}

double multigrid_bytes(const Formulation& f, Index planes) {
  const MultigridPlan plan = plan_multigrid(f);
  double values = 0;
  for (int l = 0; l < static_cast<int>(plan.levels.size()); ++l) {
    const LevelPlan& level = plan.levels[static_cast<std::size_t>(l)];
    const Index own = l < plan.shared ? std::min(level.rows[2], (planes >> level.halvings[2]) + 1) : level.rows[2];
    values += static_cast<double>(level_pitch(level.rows[0]) * level.rows[1] * (own + 2));
  }
  return sizeof(float) * values * (vectors + (has_axis_tables(f) ? 0 : fields));
}

}  // namespace halocline::fractional
