#include "lib/problems/collocation/multigrid/full_multigrid.hpp"

#include <array>
#include <optional>

#include "lib/problems/collocation/discretization/assembly.hpp"

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
  coarse.boundary = Boundary(std::move(sides), x, y);
  return coarse;
}

// What the sides give, in the layout of a part's lines.
template <class T>
std::vector<T> boundary_part(const Formulation& problem, const NodalBlock& block, double factor) {
  std::vector<T> values(static_cast<std::size_t>(block.size()), T{0});
  for (Index i = 0; i < block.lines(); ++i) {
    const Index line = block.first_line + i;
    const bool on_side = line == 0 || line == block.nx;
    for (Index j = 0; j <= block.ny; j += on_side ? 1 : block.ny)
      for (int c = 0; c < 4; ++c)
        values[i * block.line_size() + block.place(c, j)] =
            static_cast<T>(factor * problem.boundary.value(line, c % 2, j, c / 2));
  }
  return values;
}

// Right-hand side of a coarser problem.
template <class T>
void load(MultigridLevel<T>& level, const Formulation& problem, int threads, double scale) {
  for (int p = 0; p < level.space().team().parts(); ++p) {
    std::optional<GaussPoint> bad;
    const auto b = nodal_right_hand_side(problem, level.mesh().view(p).block, threads, bad);
    std::vector<T> scaled(b.size());
    for (std::size_t n = 0; n < b.size(); ++n) scaled[n] = static_cast<T>(b[n] / scale);
    level.f().assign(p, scaled);
  }
}

// Makes the solution of the coarser level whole and interpolates it. Where the interpolation meets a side it is
// projected on the tangent of the end condition, which leaves out what the side gives on the finer level.
template <class T>
void interpolate(MultigridLevel<T>& level, MultigridLevel<T>& coarser, const Formulation& coarse, double scale) {
  Vector<T> given(coarser.f().space_pointer());
  for (int p = 0; p < level.space().team().parts(); ++p)
    given.assign(p, boundary_part<T>(coarse, coarser.mesh().view(p).block, 1 / scale));
  axpy(1, given, coarser.u());
  for (int p = 0; p < level.space().team().parts(); ++p) level.space().team().executor(p)->synchronize();
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
