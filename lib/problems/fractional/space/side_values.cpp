#include "lib/problems/fractional/space/side_values.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"

namespace halocline::fractional {

namespace {

constexpr int arrays_of_a_side = 6;

// The other two axes of a side, in the order x, y, z.
constexpr int axis_u(int axis) { return axis == 0 ? 1 : 0; }
constexpr int axis_v(int axis) { return axis == 2 ? 1 : 2; }

Range<2> nodes_of(const SidePlane& plane) { return {{0, 0}, {plane.extent_v, plane.extent_u}}; }
Range<2> nodes_with_ghosts(const SidePlane& plane) {
  return {{-plane.ghosts_v, -plane.ghosts_u}, {plane.extent_v + plane.ghosts_v, plane.extent_u + plane.ghosts_u}};
}

// Whether a side of an axis lies in a part.
bool has_side(const SlabLayout& slab, const UniformGrid& grid, int axis, bool high) {
  const Index first = slab.first_along(axis);
  return high ? first + slab.extent[axis] == grid.extent[axis] : first == 0;
}

}  // namespace

SideValues::SideValues(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                       const Coefficients& of)
    : formulation_(&formulation),
      slabs_(slabs),
      coefficients_(&of),
      numbers_(std::none_of(formulation.sides.begin(), formulation.sides.end(),
                            [](const Side& side) { return side.value.formula.has_value(); })),
      parts_(static_cast<std::size_t>(slabs->parts())),
      rests_(parts_.size()) {
  slabs->team().each([&](int p) {
    for (int side = 0; side < 6; ++side)
      parts_[static_cast<std::size_t>(p)][static_cast<std::size_t>(side)] = make_plane(p, side);
  });
}

std::optional<SideValues::Plane> SideValues::make_plane(int part, int side) const {
  const Side& given = formulation_->sides[static_cast<std::size_t>(side)];
  const SlabLayout& slab = slabs_->layout(part);
  const UniformGrid& grid = formulation_->grid;
  const int axis = side / 2, u = axis_u(axis), v = axis_v(axis);
  const bool high = side % 2 == 1, has_rows = slab.extent[2] > 0;
  if (end_of(given) == End::periodic || (natural(side) && given.value.zero()) || !has_rows) return std::nullopt;
  if (!has_side(slab, grid, axis, high)) return std::nullopt;

  Plane made;
  const Index strides[3] = {1, slab.pitch, slab.plane};
  made.plane = {high ? (slab.extent[axis] - 1) * strides[axis] : 0,
                strides[u],
                strides[v],
                slab.extent[u],
                slab.extent[v],
                slab.extent[u] + 2 * slab.ghosts(u),
                slab.ghosts(u),
                slab.ghosts(v)};
  const ExecutorPtr& executor = slabs_->team().executor(part);
  const Index size = (slab.extent[v] + 2 * slab.ghosts(v)) * made.plane.pitch;
  made.memory = Array<double, 1>(executor, {arrays_of_a_side * size});
  double* arrays[arrays_of_a_side];
  for (Index n = 0; n < arrays_of_a_side; ++n)
    arrays[n] = made.memory.view().data + n * size + slab.ghosts(v) * made.plane.pitch + slab.ghosts(u);
  std::copy(arrays, arrays + 3, made.levels);
  made.gain = arrays[3];
  std::copy(arrays + 4, arrays + 6, made.given);
  made.number = given.value.number;

  // The side is a grid of its own, one node thick.
  UniformGrid flat = grid;
  flat.extent[axis] = 1;
  flat.origin[axis] = grid.coordinate(axis, high ? grid.extent[axis] - 1 : 0);
  SlabLayout layout = slab;
  layout.extent[axis] = 1;
  if (axis == 1) layout.first_row = layout.rim = 0;
  if (axis == 2) layout.first = layout.halo = 0;
  layout.pitch = axis == 1 ? 0 : axis == 0 ? 1 : made.plane.pitch;
  layout.plane = axis == 2 ? 0 : made.plane.pitch;
  if (given.value.formula) made.formula.emplace(executor, flat, *given.value.formula, layout);
  if (given.kind == SideKind::dirichlet) made.initial.emplace(executor, flat, formulation_->initial, layout);
  return made;
}

void SideValues::evaluate(const Executor& executor, int side, Plane& plane, std::optional<SlabFormula>& formula,
                          double t, double* to) const {
  const SidePlane& of = plane.plane;
  if (!formula) return launch(executor, "side values", nodes_with_ghosts(of), FillSideBody{of, plane.number, to});
  const SlabRows along_u{-of.ghosts_u, of.extent_u + of.ghosts_u}, along_v{-of.ghosts_v, of.extent_v + of.ghosts_v};
  const int axis = side / 2;
  SlabBox box{{0, 1}, {0, 1}, {0, 0}};
  if (axis == 0) box.along_y = along_u;
  if (axis == 2) box.along_y = along_v;
  if (axis != 2) box.rows = along_v;
  formula->evaluate_on(box, t, nullptr,
                       SlabTarget<double>{to,
                                          axis == 0   ? 1
                                          : axis == 1 ? 0
                                                      : of.pitch,
                                          axis == 2 ? 0 : of.pitch});
}

void SideValues::start(int part) {
  const Executor& executor = *slabs_->team().executor(part);
  rests_[static_cast<std::size_t>(part)] = {};
  each_plane(part, [&](int side, Plane& plane) {
    evaluate(executor, side, plane, plane.initial ? plane.initial : plane.formula, 0, plane.levels[0]);
  });
}

void SideValues::next(int part, double t) {
  const Executor& executor = *slabs_->team().executor(part);
  Rest& rest = rests_[static_cast<std::size_t>(part)];
  if (rest.levels == 3) return;
  if (numbers_) ++rest.levels;
  each_plane(part, [&](int side, Plane& plane) {
    std::rotate(plane.levels, plane.levels + 2, plane.levels + 3);
    evaluate(executor, side, plane, plane.formula, t, plane.levels[0]);
  });
}

void SideValues::restore(int part, const std::array<double, 3>& times) {
  const Executor& executor = *slabs_->team().executor(part);
  Rest& rest = rests_[static_cast<std::size_t>(part)] = {};
  if (numbers_)
    rest.levels =
        static_cast<int>(std::find_if(times.begin(), times.end(), [](double t) { return t <= 0; }) - times.begin());
  each_plane(part, [&](int side, Plane& plane) {
    for (std::size_t n = 0; n < 3; ++n)
      if (times[n] >= 0)
        evaluate(executor, side, plane, times[n] == 0 && plane.initial ? plane.initial : plane.formula, times[n],
                 plane.levels[n]);
  });
}

template <class T>
void SideValues::add_data(int part, const NodeValue& mu, const MediumNumbers& ahead, T* w) const {
  const Executor& executor = *slabs_->team().executor(part);
  for (int side = 0; side < 6; ++side) {
    const auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
    if (!plane || !natural(side)) continue;
    // Of the level before: levels[0] is the one to come.
    launch(executor, "data of sides", nodes_of(plane->plane),
           AddSideBody<T>{plane->plane, mu, coefficients_->diffusivity(part), coefficients_->side_factor(side),
                          plane->levels[1], plane->levels[2], coefficients_->media().of_nodes(part), ahead, w});
  }
}

bool SideValues::reads_neighbors() const {
  return slabs_->boxes().cut_along_y() && (formulation_->dirichlet(0) || formulation_->dirichlet(1)) &&
         !rests_.front().reached;
}

void SideValues::prepare(int part, const NodeValue& nu, double ratio) {
  Rest& rest = rests_[static_cast<std::size_t>(part)];
  if (rest.reached) return;
  rest.reached = rest.levels == 3;
  const Executor& executor = *slabs_->team().executor(part);
  Part& sides = parts_[static_cast<std::size_t>(part)];
  each_plane(part, [&](int, Plane& plane) {
    SideLevels q = plane.q();
    if (ratio == 0) q.older = q.last;  // there may be no third level yet
    launch(executor, "gain of sides", nodes_with_ghosts(plane.plane), SideGainBody{plane.plane, q, ratio, plane.gain});
  });
  for (int side = 0; side < 6; ++side) {
    auto& plane = sides[static_cast<std::size_t>(side)];
    if (!plane || natural(side)) continue;
    plane->entering = plane->gain;
    if (side / 2 < 2) plane->entering = tangent(part, side, 2, nu, plane->entering, plane->given[0]);
    if (side / 2 < 1) plane->entering = tangent(part, side, 1, nu, plane->entering, plane->given[1]);
  }
}

void SideValues::prepare_end_time(int part) {
  rests_[static_cast<std::size_t>(part)].reached = false;
  for (auto& plane : parts_[static_cast<std::size_t>(part)])
    if (plane) plane->entering = plane->levels[0];
}

// On sides of y what the sweep along z turns into their values, on sides of x what those along y and z do.
void SideValues::prepare_consistent(int part, const NodeValue& mu, const double* given,
                                    const std::array<double, 3>& shares) {
  prepare_end_time(part);
  for (int side = 0; side < 4; ++side) {
    auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
    if (!plane) continue;
    plane->entering = tangent(part, side, 2, mu, plane->entering, plane->given[0]);
    take_share(part, side, given, shares[2], plane->given[0]);
    if (side / 2 == 1) continue;
    plane->entering = tangent(part, side, 1, mu, plane->entering, plane->given[1]);
    take_share(part, side, given, shares[1], plane->given[1]);
  }
}

void SideValues::take_share(int part, int side, const double* given, double share, double* out) const {
  if (share == 0) return;
  const SidePlane& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)]->plane;
  launch(*slabs_->team().executor(part), "values of sides", nodes_of(plane), TakeShareBody{plane, given, share, out});
}

// What side `side` gives at the edge it has in common with side `of`, to rows of `of` along the axis of `side`.
EdgeData SideValues::edge(int part, int side, int of) const {
  const auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
  if (!plane || !natural(side)) return {};
  const int own = of / 2, axis = side / 2;
  const bool along_u = axis_u(axis) != own;  // the third axis, along the edge
  const Index there = of % 2 == 1 ? (along_u ? plane->plane.extent_v : plane->plane.extent_u) - 1 : 0;
  return {plane->gain, along_u ? plane->plane.in_plane(there, 0) : plane->plane.in_plane(0, there),
          along_u ? 1 : plane->plane.pitch, coefficients_->side_factor(side)};
}

const double* SideValues::tangent(int part, int side, int axis, const NodeValue& nu, const double* in,
                                  double* out) const {
  const Plane& plane = *parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
  const bool along_v = axis_v(side / 2) == axis;
  coefficients_->with_rows([&](const auto& rows_of) {
    const auto rows = rows_of(part, axis);
    AxisShape flat = rows.shape;
    flat.stride = along_v ? plane.plane.pitch : 1;
    // Rows along z on ghosts along y as well, which rows along y read.
    Range<2> nodes = nodes_of(plane.plane);
    if (axis == 2) {
      nodes.lo[1] -= plane.plane.ghosts_u;
      nodes.hi[1] += plane.plane.ghosts_u;
    }
    launch(*slabs_->team().executor(part), "rows of sides", nodes,
           TangentBody<std::decay_t<decltype(rows)>>{
               plane.plane, rows, flat, along_v, slabs_->layout(part).first_along(axis), nu,
               coefficients_->diffusivity(part), edge(part, 2 * axis, side), edge(part, 2 * axis + 1, side), in, out});
  });
  return out;
}

template <class T>
void SideValues::enter(int part, int axis, const NodeValue& nu, T* w) const {
  enter(part, axis, nu, w, all_rows(part, axis));
}

template <class T>
void SideValues::enter(int part, int axis, const NodeValue& nu, T* w, const Range<1>& some) const {
  for (int side = 2 * axis; side < 2 * axis + 2; ++side) {
    const auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
    if (plane && natural(side)) add_gain(part, side, *plane, nu, w, some);
  }
  launch_dirichlet(part, axis, some, [&](const Plane& plane) {
    return GiveSideBody<T>{plane.plane, plane.entering, w};
  });
}

// Launches make(plane) on the Dirichlet sides of an axis, together; `some`: rows along v of these.
template <class Make>
void SideValues::launch_dirichlet(int part, int axis, const Range<1>& some, const Make& make) const {
  SidesBody<decltype(make(std::declval<const Plane&>()))> sides;
  for (int side = 2 * axis; side < 2 * axis + 2; ++side) {
    const auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
    if (plane && !natural(side)) sides.of[sides.count++] = make(*plane);
  }
  if (sides.count == 0) return;
  launch(*slabs_->team().executor(part), "values of sides",
         Range<3>{{0, some.lo[0], 0}, {sides.count, some.hi[0], sides.of[0].plane.extent_u}}, sides);
}

template <class T>
void SideValues::add_gain(int part, int side, const Plane& plane, const NodeValue& nu, T* w,
                          const Range<1>& some) const {
  launch(*slabs_->team().executor(part), "data of sweeps",
         Range<2>{{some.lo[0], 0}, {some.hi[0], plane.plane.extent_u}},
         AddSideBody<T>{plane.plane,
                        nu,
                        coefficients_->diffusivity(part),
                        coefficients_->side_factor(side),
                        plane.gain,
                        nullptr,
                        {},
                        {},
                        w});
}

void SideValues::add_gains(int part, const NodeValue& nu, double* w) const {
  for (int side = 0; side < 6; ++side) {
    const auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
    if (plane && natural(side)) add_gain(part, side, *plane, nu, w, all_rows(part, side / 2));
  }
}

double SideValues::largest_gain(int part, int side, const NodeValue& nu) const {
  const auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)];
  if (!plane || !plane->formula) return 0;
  SideMagnitudeBody body{plane->plane, {nullptr, 1}, {nullptr, 1}, 1, plane->gain};
  if (natural(side)) {
    body.weight = nu;
    body.D = coefficients_->diffusivity(part);
    body.factor = coefficients_->side_factor(side);
  }
  return reduce(*slabs_->team().executor(part), "largest datum of sweeps", nodes_of(plane->plane), 0.0, Larger{}, body);
}

template <class T>
void SideValues::give_gains(int part, T* w) const {
  for (int axis = 0; axis < 3; ++axis)
    launch_dirichlet(part, axis, all_rows(part, axis), [&](const Plane& plane) {
      return GiveSideBody<T>{plane.plane, plane.gain, w};
    });
}

template <class Numbers>
void SideValues::keep(int part, typename Numbers::Field* c, typename Numbers::Slot* slot) const {
  if (rests_[static_cast<std::size_t>(part)].reached) return;  // C has kept its numbers
  for (int axis = 0; axis < 3; ++axis)
    launch_dirichlet(part, axis, all_rows(part, axis), [&](const Plane& plane) {
      return KeepSideBody<Numbers>{plane.plane, plane.q(), c, slot};
    });
}

template void SideValues::add_data(int, const NodeValue&, const MediumNumbers&, double*) const;
template void SideValues::add_data(int, const NodeValue&, const MediumNumbers&, float*) const;
template void SideValues::enter(int, int, const NodeValue&, double*) const;
template void SideValues::enter(int, int, const NodeValue&, float*) const;
template void SideValues::enter(int, int, const NodeValue&, double*, const Range<1>&) const;
template void SideValues::enter(int, int, const NodeValue&, float*, const Range<1>&) const;
template void SideValues::give_gains(int, double*) const;
template void SideValues::give_gains(int, float*) const;
template void SideValues::keep<Fp64>(int, double*, double*) const;
template void SideValues::keep<Mixed>(int, double*, float*) const;
template void SideValues::keep<Fp32>(int, float*, float*) const;

}  // namespace halocline::fractional
