#include "lib/problems/diffusion/steppers/wall_diffusivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "gpu/launch.hpp"
#include "lib/fields/formula_grid.hpp"
#include "lib/fields/lifted/lifted_looks.hpp"

namespace halocline::diffusion {

bool is_wanted(double value, double wanted) {
  return std::isinf(wanted) ? !(value >= 0 && std::isfinite(value)) : value == wanted;
}

FoundValue first_found(const Communicator& comm, Index number, Index none, double value,
                       const std::function<std::string(Index)>& place) {
  std::array<Index, 1> negative{-number};
  comm.max(std::span<Index>(negative));
  if (negative[0] == -none) return {};
  // NaN would be lost in a maximum.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 1> of_owner{-negative[0] == number && !std::isnan(value) ? value : -infinity};
  comm.max(of_owner);
  return {place(-negative[0]), of_owner[0] == -infinity ? std::numeric_limits<double>::quiet_NaN() : of_owner[0]};
}

struct WallDiffusivity::List {
  std::array<std::vector<double>, 3> at;
  std::vector<WallPoint> points;
  std::vector<Index> fluxes;
  Index all_fluxes = 0;  // positions of the largest side that has nothing but fluxes
  void add(const Walls::Positions& p, std::size_t n, const WallPoint& point) {
    for (std::size_t axis = 0; axis < 3; ++axis) at[axis].push_back(p.at[axis][n]);
    points.push_back(point);
  }
};

WallDiffusivity::WallDiffusivity(const Context& context, const Formulation& f, const Field<double>& field)
    : context_(context), field_(field), uses_c_(f.terms.diffusivity->uses(4)) {
  const Program& program = *f.terms.diffusivity;
  for (int p = 0; p < context.team.parts(); ++p) {
    parts_.emplace_back();
    List list;
    for (int axis = 0; axis < f.geometry.dimensions; ++axis)
      for (int which = 0; which < 2; ++which) list_side(p, axis, which, f, list);
    Part& part = parts_.back();
    if (list.all_fluxes > 0)
      part.all_fluxes =
          make_array(context.team.executor(p), std::vector<double>(static_cast<std::size_t>(list.all_fluxes), 1));
    for (auto& sides : part.walls)
      for (WallD& wall : sides)
        if (wall.slow > 0 && wall.first < 0) wall.values = part.all_fluxes.view().data;
    if (list.points.empty()) continue;
    const std::size_t width = std::min<std::size_t>(list.points.size(), EvaluateProgram::block);
    while (list.points.size() % width != 0) {
      for (auto& values : list.at) values.push_back(values.back());
      list.points.push_back(list.points.back());
    }
    part.count = static_cast<Index>(list.points.size());
    part.width = static_cast<Index>(width);
    const ExecutorPtr& executor = context.team.executor(p);
    for (std::size_t axis = 0; axis < 3; ++axis) part.at[axis] = make_array(executor, list.at[axis]);
    part.points = make_array(executor, list.points);
    part.fluxes = make_array(executor, list.fluxes);
    part.c = Array<double, 1>(executor, {part.count});
    part.D = Array<double, 1>(executor, {part.count});
    for (auto& sides : part.walls)
      for (WallD& wall : sides)
        if (wall.slow > 0 && wall.first >= 0) wall.values = part.D.view().data + wall.first;
    const auto input = [&](const Array<double, 1>& values) {
      return PointInput{values.view().data, 1, part.width, 0, PointInput::Source::values};
    };
    std::vector<PointInput> inputs{input(part.at[0]), input(part.at[1]), input(part.at[2]),
                                   PointInput{nullptr, 0, 0, 0, PointInput::Source::number}, input(part.c)};
    if (by_points(*executor, FormulaPath::of_executor)) {
      LiftedLooks lifted =
          lift_looks(executor, program, [&](const Program& look) { return sampled_on_points(look, list.at); });
      for (const auto& values : lifted.values) inputs.push_back(input(values));
      part.looked_up = std::move(lifted.values);
      part.by_points.emplace(executor, lifted.rest, inputs);
    } else {
      part.by_rows.emplace(executor, program, inputs);
    }
  }
}

// Points where D does not count take the place of another one: D may be anything there.
void WallDiffusivity::list_side(int part, int axis, int which, const Formulation& f, List& list) {
  const ConvolveBlock<double>& b = field_.block(part);
  const WallRule<double>& rule = b.walls[axis][which];
  if (rule.kind != WallKind::affine) return;
  const Side& side = f.walls.side(axis, which);
  const SideAxes axes = axes_of_side(axis);
  const Index n_slow = b.extent[axes.slow], n_fast = b.extent[axes.fast];
  const WallPatch patch = WallPatch{0, n_slow, 0, n_fast}.moved(b.first_along(axes.slow), b.first_along(axes.fast));
  const Walls::Positions positions = f.walls.positions(axis, which, patch);
  const auto kind = [&](std::size_t n) { return side.segments[positions.piece[n]].kind; };
  const auto passes = [&](std::size_t n) { return D_counts(kind(n)); };
  std::size_t last = 0;
  const auto count = static_cast<std::size_t>(patch.count());
  while (last < count && !passes(last)) ++last;
  WallD& wall = parts_[static_cast<std::size_t>(part)].walls[axis][which];
  if (last == count) {
    bool fluxes = false;
    for (std::size_t n = 0; n < count; ++n) fluxes = fluxes || kind(n) == SideKind::flux;
    if (!fluxes) return;
    wall = {nullptr, n_fast, -1};
    list.all_fluxes = std::max(list.all_fluxes, patch.count());
    return;
  }
  wall = {nullptr, n_fast, static_cast<Index>(list.points.size())};
  for (std::size_t n = 0; n < count; ++n) {
    if (passes(n)) last = n;
    if (kind(n) == SideKind::flux) list.fluxes.push_back(static_cast<Index>(list.points.size()));
    const Index slow = static_cast<Index>(last) / n_fast, fast = static_cast<Index>(last) % n_fast;
    Index cell[3];
    cell[axis] = which == 0 ? 0 : b.extent[axis] - 1;
    cell[axes.slow] = slow;
    cell[axes.fast] = fast;
    list.add(positions, last, {2 * axis + which, rule.at(0, slow, fast), b.offset(cell[2], cell[1], cell[0])});
  }
}

void WallDiffusivity::evaluate(int part, double t, Bits* largest) {
  Part& p = parts_[static_cast<std::size_t>(part)];
  if (p.count == 0) return;
  const Executor& executor = *context_.team.executor(part);
  if (uses_c_)
    launch(executor, "state on walls", Range<1>{{0}, {p.count}},
           WallState{field_.block(part), p.points.view().data, p.c.view().data});
  const PointRange range{1, p.count / p.width, p.width};
  const PointTarget<double> to{p.D.view().data, 0, p.width, 0};
  if (p.by_points) {
    p.by_points->evaluate<double>(range, to, {t, nullptr}, {largest});
  } else {
    p.by_rows->evaluate<double>(range, to, {t, nullptr}, {largest});
  }
  if (p.fluxes.size() > 0)
    launch(executor, "given fluxes", Range<1>{{0}, {p.fluxes.size()}},
           GivenFlux{p.fluxes.view().data, p.D.view().data});
}

// By side, then by the cell beside the wall.
FoundValue WallDiffusivity::find(double wanted) const {
  const Slabs<double>& slabs = *field_.slabs();
  const UniformGrid& g = slabs.grid();
  const Index nx = g.extent[0], ny = g.extent[1], none = 6 * g.unknowns();
  Index first = none;
  double value = 0;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    const SlabLayout& slab = field_.block(static_cast<int>(n));
    const std::vector<double> D = parts_[n].D.to_host();
    const std::vector<WallPoint> points = parts_[n].points.to_host();
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!is_wanted(D[k], wanted)) continue;
      const Index z = slab.dimensions == 3 ? points[k].cell / slab.plane : 0,
                  in_plane = points[k].cell - z * slab.plane;
      const Index line = slab.global_line(z * slab.extent[1] + in_plane / slab.pitch, ny);
      const Index number = points[k].wall * g.unknowns() + line * nx + in_plane % slab.pitch;
      if (number < first) first = number, value = D[k];
    }
  }
  return first_found(slabs.comm(), first, none, value, [&](Index number) {
    const Index at = number % g.unknowns();
    return std::string("wall ") + side_names[static_cast<std::size_t>(number / g.unknowns())] + " beside " +
           g.place_text(at % nx, at / nx % ny, at / (nx * ny));
  });
}

void WallDiffusivity::put(int part, FluxTerms& terms) const {
  const Part& p = parts_[static_cast<std::size_t>(part)];
  for (int axis = 0; axis < 3; ++axis) std::copy(p.walls[axis], p.walls[axis] + 2, terms.walls[axis]);
}

}  // namespace halocline::diffusion
