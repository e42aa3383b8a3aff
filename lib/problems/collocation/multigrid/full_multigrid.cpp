#include "lib/problems/collocation/multigrid/full_multigrid.hpp"

#include <array>
#include <optional>
#include <utility>

#include "lib/linalg/scaled_copy.hpp"
#include "lib/problems/collocation/formulas/placed_sides.hpp"
#include "lib/problems/collocation/formulas/right_hand_side.hpp"

namespace halocline::collocation {

namespace {

// The problem on the mesh without every second node. Data of sides keep their values and slopes.
Formulation coarsened(const Formulation& fine, const Axis& x, const Axis& y) {
  std::array<SideData, 4> sides;
  for (std::size_t side = 0; side < 4; ++side) {
    const Axis &along = side < 2 ? y : x, &before = side < 2 ? fine.y : fine.x;
    const SideData& data = fine.boundary.side(static_cast<Side>(side));
    for (Index i = 0; i <= along.elements(); ++i) {
      sides[side].push_back(data[4 * i]);
      sides[side].push_back(data[4 * i + 1] * along.scale(i) / before.scale(2 * i));
    }
  }
  Formulation coarse = fine;
  coarse.x = x;
  coarse.y = y;
  coarse.boundary = Boundary(std::move(sides), x, y, fine.boundary.mean_corners(), fine.boundary.shared_conditions());
  return coarse;
}

// Right-hand side of a coarser problem.
template <class T>
void load(MultigridLevel<T>& level, const Formulation& problem, int threads, double scale) {
  const Team& team = level.space().team();
  std::optional<GaussPoint> bad;  // spoils the start only
  for (int p = 0; p < team.parts(); ++p) {
    const ExecutorPtr& executor = team.executor(p);
    const NodalBlock& block = level.mesh().view(p).block;
    if (block.lines() == 0) continue;
    Array<double, 1> b(executor, {block.size()});
    right_hand_side(executor, problem, block, threads, b.view().data, bad);
    scaled_copy(*executor, "right-hand side of a level", block.lines(), block.line_size(), 1 / scale,
                std::as_const(b).view().data, level.f().part(p).data);
  }
}

// Makes the solution of the coarser level whole and interpolates it. Where the interpolation meets a side it is
// projected on the tangent of the end condition, which leaves out what the side gives on the finer level.
template <class T>
void interpolate(MultigridLevel<T>& level, MultigridLevel<T>& coarser, const Formulation& coarse, double scale) {
  const Team& team = level.space().team();
  for (int p = 0; p < team.parts(); ++p)
    if (coarser.mesh().space->holds(p))
      add_sides(team.executor(p), coarse.boundary, coarser.mesh().view(p).block, 1 / scale, coarser.u().part(p).data);
  fill(level.u(), 0);
  level.correct_from(coarser);
}

}  // namespace

template <class T>
void full_multigrid(multigrid::Hierarchy<T>& hierarchy, const std::vector<MultigridLevel<T>*>& levels,
                    const Formulation& problem, const MultigridPlan& plan, int threads, double scale,
                    const Vector<double>& b, Vector<double>& x) {
  constexpr auto kind = multigrid::CycleKind::v;
  const int last = plan.levels() - 1;
  std::vector<Formulation> problems{problem};
  for (int l = 1; l <= last; ++l) problems.push_back(coarsened(problems.back(), plan.x[l], plan.y[l]));
  load(*levels[last], problems[last], threads, scale);
  hierarchy.cycle(kind, last);
  for (int l = last - 1; l >= 0; --l) {
    interpolate(*levels[l], *levels[l + 1], problems[l + 1], scale);
    if (l > 0) {
      load(*levels[l], problems[l], threads, scale);
    } else {
      hierarchy.load(1 / scale, b);
    }
    for (int k = 0; k < 2; ++k) hierarchy.cycle(kind, l, false);
  }
  hierarchy.unload(scale, x);
}

template void full_multigrid(multigrid::Hierarchy<double>&, const std::vector<MultigridLevel<double>*>&,
                             const Formulation&, const MultigridPlan&, int, double, const Vector<double>&,
                             Vector<double>&);
template void full_multigrid(multigrid::Hierarchy<float>&, const std::vector<MultigridLevel<float>*>&,
                             const Formulation&, const MultigridPlan&, int, double, const Vector<double>&,
                             Vector<double>&);

}  // namespace halocline::collocation
