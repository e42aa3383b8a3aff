#include "lib/fields/slab_formula.hpp"

#include <array>
#include <vector>

#include "lib/fields/lifted/lifted_looks.hpp"
#include "lib/fields/row_program_kernels.hpp"

namespace halocline {

SlabFormula::SlabFormula(const ExecutorPtr& executor, const UniformGrid& grid, const Program& program,
                         const SlabLayout& slab, FormulaPath path, std::span<const double* const> more)
    : slab_(slab), by_points_(by_points(*executor, path)) {
  const double* at[3];
  std::array<std::vector<double>, 3> places;
  for (int axis = 0; axis < 3; ++axis) {
    const Index all = grid.extent[axis], halo = slab.ghosts(axis), first = slab.first_along(axis);
    std::vector<double>& values = places[static_cast<std::size_t>(axis)];
    for (Index i = -halo; i < slab.extent[axis] + halo; ++i) {
      const Index wrapped = ((first + i) % all + all) % all;  // of the ghosts of a periodic axis
      values.push_back(axis < grid.dimensions ? grid.coordinate(axis, wrapped) : 0);
    }
    coordinates_[axis] = make_array(executor, values);
    at[axis] = coordinates_[axis].view().data + halo;
  }
  using Source = PointInput::Source;
  std::vector<PointInput> inputs{{at[0], 1, 0, 0},
                                 {at[1], 0, 1, 0},
                                 {at[2], 0, 0, 1},
                                 {nullptr, 0, 0, 0, Source::number},
                                 {nullptr, 1, slab.pitch, slab.plane, Source::field}};
  for (const double* field : more) inputs.push_back({field, 1, slab.pitch, slab.plane});
  require(program.variable_count() <= static_cast<int>(inputs.size()), "SlabFormula: variables are x, y, z, t, c");
  inputs.resize(static_cast<std::size_t>(program.variable_count()));
  if (!by_points_) {
    on_rows_ = RowProgram(executor, program, inputs);
    return;
  }
  LiftedLooks lifted =
      lift_looks(executor, program, [&](const Program& look) { return sampled_on_grid(look, places); });
  const auto width = static_cast<Index>(places[0].size()), plane = width * static_cast<Index>(places[1].size());
  const Index origin = slab.dimensions == 3 ? slab.halo * plane + slab.rim * width : slab.halo * width + slab.fringe;
  for (const auto& values : lifted.values) inputs.push_back({values.view().data + origin, 1, width, plane});
  looked_up_ = std::move(lifted.values);
  on_points_ = PointProgram(executor, lifted.rest, inputs);
}

// Lines of points are rows of unknowns; in 2D the slow axis is y, in 3D z.
template <class T>
void SlabFormula::evaluate_on(const SlabBox& box, double t, const double* c, const SlabTarget<T>& to,
                              const PointLargest& largest) {
  const bool deep = slab_.dimensions == 3;
  const SlabRows z = deep ? box.rows : SlabRows{0, 1}, y = deep ? box.along_y : box.rows;
  const PointRange range{z.hi - z.lo, y.hi - y.lo, slab_.extent[0], z.lo, y.lo};
  const PointTarget<T> target{to.data + z.lo * to.plane + y.lo * to.pitch, to.result, to.pitch, to.plane};
  if (by_points_) {
    on_points_.evaluate<T>(range, target, {t, c}, largest);
  } else {
    on_rows_.evaluate<T>(range, target, {t, c}, largest);
  }
}

FormulaLines SlabFormula::lines(double t, const double* c) const { return on_rows_.lines({t, c}); }

template void SlabFormula::evaluate_on(const SlabBox&, double, const double*, const SlabTarget<double>&,
                                       const PointLargest&);
template void SlabFormula::evaluate_on(const SlabBox&, double, const double*, const SlabTarget<float>&,
                                       const PointLargest&);

}  // namespace halocline
