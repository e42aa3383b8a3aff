#include "lib/problems/sparse/sources/near_null.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "lib/problems/sparse/sources/elastic/elastic_box.hpp"
#include "lib/problems/sparse/sources/file/renumbered.hpp"

namespace halocline::sparse {

namespace {

std::vector<Array<Index, 1>> nodes_of(const RowSpace& rows, Index unknowns, const RowNumbers& numbers) {
  std::vector<Array<Index, 1>> made;
  for (int p = 0; p < rows.team().parts(); ++p) {
    std::vector<Index> which;
    for (Index row = rows.own(p).lo[0]; row < rows.own(p).hi[0]; ++row)
      which.push_back((numbers.empty() ? row : numbers.input(row)) / unknowns);
    made.push_back(make_array(rows.team().executor(p), which));
  }
  return made;
}

std::vector<PartValues> of_elastic_box(const RowSpace& rows, const ElasticBoxSource& source) {
  std::vector<PartValues> vectors(rigid_body_modes);
  for (int p = 0; p < rows.team().parts(); ++p) {
    auto modes = rigid_body(rows.team().executor(p), source.model().layout, rows.own(p));
    for (std::size_t m = 0; m < vectors.size(); ++m) vectors[m].push_back(std::move(modes[m]));
  }
  return vectors;
}

// Half the way from the lowest to the highest of all ranks: rotations about a point far away would hardly differ from
// translations.
double middle(const Communicator& comm, const PartValues& axis) {
  constexpr double nothing = std::numeric_limits<double>::max();
  std::array<double, 2> ends{-nothing, -nothing};  // the lowest one negated, the highest
  for (const Array<double, 1>& part : axis)
    for (const double x : part.to_host()) ends = {std::max(ends[0], -x), std::max(ends[1], x)};
  comm.max(ends);
  return (ends[1] - ends[0]) / 2;
}

// Translations, and rotations: in the plane about one axis, in space about three.
std::vector<PartValues> of_places(const RowSpace& rows, const std::vector<Array<Index, 1>>& components,
                                  const std::vector<PartValues>& coordinates) {
  const std::size_t axes = coordinates.size(), rotations = axes == 2 ? 1 : 3;
  std::vector<double> center;
  for (const PartValues& axis : coordinates) center.push_back(middle(rows.comm(), axis));
  std::vector<PartValues> vectors(axes + rotations);
  for (int p = 0; p < rows.team().parts(); ++p) {
    const auto part = static_cast<std::size_t>(p);
    const std::vector<Index> component = components[part].to_host();
    std::vector<std::vector<double>> place, made(vectors.size(), std::vector<double>(component.size(), 0));
    for (std::size_t d = 0; d < axes; ++d) {
      place.push_back(coordinates[d][part].to_host());
      for (double& x : place.back()) x -= center[d];
    }
    for (std::size_t n = 0; n < component.size(); ++n) {
      const auto c = static_cast<std::size_t>(component[n]);
      if (c >= axes) continue;
      made[c][n] = 1;
      for (std::size_t r = 0; r < rotations; ++r) {
        const std::size_t next = axes == 2 ? 0 : (r + 1) % 3, last = axes == 2 ? 1 : (r + 2) % 3;
        if (c == next) made[axes + r][n] = -place[last][n];
        if (c == last) made[axes + r][n] = place[next][n];
      }
    }
    for (std::size_t v = 0; v < vectors.size(); ++v) vectors[v].push_back(make_array(rows.team().executor(p), made[v]));
  }
  return vectors;
}

}  // namespace

Index unknowns_of_node(const BlockOptions& options) {
  if (options.matrix.has_elastic_box) return 3;
  return options.components ? static_cast<Index>(*options.components) : 1;
}

NearNull near_null_of(const RowSpace& rows, const Formulation& formulation, const BlockOptions& options,
                      const RowNumbers& numbers, const std::vector<Array<Index, 1>>& components,
                      const std::vector<PartValues>& coordinates) {
  NearNull made;
  if (options.preconditioner != Preconditioner::amg || !options.amg.aggregates()) return made;
  if (const Index unknowns = unknowns_of_node(options); unknowns > 1) made.node = nodes_of(rows, unknowns, numbers);
  if (formulation.near_null) {
    for (PartValues& vector : read_columns(rows, *formulation.near_null))
      made.vectors.push_back(moved(rows, numbers.here, std::move(vector)));
  } else if (options.amg.near_null_space == NearNullSpace::rigid_body) {
    const auto* elastic = dynamic_cast<const ElasticBoxSource*>(formulation.source.get());
    made.vectors = elastic != nullptr ? of_elastic_box(rows, *elastic) : of_places(rows, components, coordinates);
  }
  return made;
}

}  // namespace halocline::sparse
