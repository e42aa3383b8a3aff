#include "lib/problems/sparse/sources/ventricle/ventricle_patch.hpp"

#include <algorithm>

#include "gpu/launch.hpp"

namespace halocline::sparse {

namespace {

// Lines between a node and the last of its neighbors, that line included.
Index reach(const VentricleLattice& lattice) { return lattice.n[1] + 1; }

}  // namespace

VentriclePatch::VentriclePatch(ExecutorPtr executor, const VentricleSource& source, Range<1> lines, double t)
    : executor_(std::move(executor)) {
  const VentricleModel& model = source.model();
  mesh_.lattice = model.lattice;
  mesh_.sigma = model.sigma;
  mesh_.mass = model.mass;
  mesh_.ground = model.ground;
  const bool along_lattice = source.numbers().empty();
  if (!along_lattice) lines = {{0}, {model.lattice.lines()}};
  make_cubes({{std::max<Index>(0, lines.lo[0] - reach(model.lattice))}, {lines.hi[0]}});
  mesh_.first_node = lines.lo[0] * model.lattice.n[0];
  if (along_lattice)
    number_lines(source, lines);
  else
    numbers_ = make_array(executor_, source.numbers());
  mesh_.numbers = numbers_.view();
  make_points(t);
}

Range<1> VentriclePatch::lines_of(const VentricleSource& source, const Range<1>& rows) {
  const std::vector<Index>& starts = source.starts();
  const auto line_of = [&](Index row) {
    return std::upper_bound(starts.begin(), starts.end(), row) - starts.begin() - 1;
  };
  return {{line_of(rows.lo[0])}, {line_of(rows.hi[0] - 1) + 1}};
}

Range<1> VentriclePatch::with_neighbors(const VentricleLattice& lattice, const Range<1>& lines) {
  return {{std::max<Index>(0, lines.lo[0] - reach(lattice))},
          {std::min(lattice.lines(), lines.hi[0] + reach(lattice))}};
}

Array<Index, 1> VentriclePatch::nodes(const Range<1>& rows) const {
  Array<Index, 1> made(executor_, {rows.extent(0)});
  launch(*executor_, "ventricle nodes", Range<1>{{0}, {numbers_.size()}},
         OwnNodesBody{mesh_.first_node, rows.lo[0], rows.hi[0], numbers_.view(), made.view()});
  return made;
}

void VentriclePatch::make_cubes(const Range<1>& lines) {
  const VentricleLattice& l = mesh_.lattice;
  mesh_.first_cube = lines.lo[0] * l.n[0];
  cubes_ = Array<CubeCode, 1>(executor_, {lines.extent(0) * l.n[0]});
  mesh_.cubes = cubes_.view();
  launch(*executor_, {"ventricle cubes", 2.0 * static_cast<double>(cubes_.size())}, Range<1>{{0}, {cubes_.size()}},
         CubesBody{l, mesh_.first_cube, cubes_.view()});
}

void VentriclePatch::number_lines(const VentricleSource& source, const Range<1>& lines) {
  const VentricleLattice& l = mesh_.lattice;
  const auto first = source.starts().begin() + lines.lo[0];
  const auto starts = make_array(executor_, std::vector<Index>(first, first + lines.extent(0)));
  numbers_ = Array<Index, 1>(executor_, {lines.extent(0) * l.n[0]});
  launch(*executor_, {"ventricle numbers", 8.0 * static_cast<double>(numbers_.size())},
         Range<1>{{0}, {lines.extent(0)}},
         NumbersBody{l, mesh_.first_cube, lines.lo[0], cubes_.view(), starts.view(), numbers_.view()});
}

void VentriclePatch::make_points(double t) {
  points_ = Array<Point, 1>(executor_, {numbers_.size()});
  voltages_ = Array<double, 1>(executor_, {numbers_.size()});
  mesh_.points = points_.view();
  mesh_.voltages = voltages_.view();
  launch(*executor_, {"ventricle places", 32.0 * static_cast<double>(points_.size())}, Range<1>{{0}, {points_.size()}},
         PointsBody{mesh_.lattice, mesh_.first_node, t, points_.view(), voltages_.view()});
}

}  // namespace halocline::sparse
