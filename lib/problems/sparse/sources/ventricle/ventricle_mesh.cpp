#include "lib/problems/sparse/sources/ventricle/ventricle_mesh.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle_mesh_kernels.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle_patch.hpp"

namespace halocline::sparse {

namespace {

// Places of the first cells of lines of cubes, and how many cells there are.
struct CellStarts {
  Array<Index, 1> starts;
  Index cells = 0;
  CellStarts(const ExecutorPtr& executor, const VentricleLattice& lattice, const Range<1>& lines)
      : starts(executor, {lines.extent(0) + 1}) {
    launch(*executor, "ventricle cells", Range<1>{{0}, {lines.extent(0)}},
           CountCellsBody{lattice, lines.lo[0], starts.view()});
    cells = scan_counts(executor, starts.view());
  }
};

// The mesh on lines of cubes, whose upper corners lie on lines behind them.
VentriclePatch patch_of(const ExecutorPtr& executor, const VentricleSource& source, const Range<1>& lines) {
  return {executor, source, VentriclePatch::with_neighbors(source.model().lattice, lines), 0};
}

}  // namespace

Array<double, 1> VentricleOutputMesh::points(const ExecutorPtr& executor, const Range<1>& own) const {
  Array<double, 1> made(executor, {3 * own.extent(0)});
  if (own.extent(0) == 0) return made;
  const VentriclePatch patch(executor, source_, VentriclePatch::lines_of(source_, own), 0);
  const Array<Index, 1> nodes = patch.nodes(own);
  VentricleMesh mesh = patch.mesh();
  mesh.nodes = nodes.view();
  launch(*executor, {"ventricle points", 8.0 * static_cast<double>(made.size())}, Range<1>{{0}, {own.extent(0)}},
         NodePointsBody{mesh, made.view()});
  executor->synchronize();  // what it reads is given back here
  return made;
}

Index VentricleOutputMesh::cells(const ExecutorPtr& executor, const Range<1>& groups) const {
  return groups.extent(0) == 0 ? 0 : CellStarts(executor, source_.model().lattice, groups).cells;
}

Array<Index, 1> VentricleOutputMesh::corners(const ExecutorPtr& executor, const Range<1>& groups) const {
  if (groups.extent(0) == 0) return {executor, {0}};
  const CellStarts at(executor, source_.model().lattice, groups);
  const VentriclePatch patch = patch_of(executor, source_, groups);
  Array<Index, 1> made(executor, {4 * at.cells});
  launch(*executor, {"ventricle corners", 8.0 * static_cast<double>(made.size())}, Range<1>{{0}, {groups.extent(0)}},
         LineCornersBody{patch.mesh(), groups.lo[0], at.starts.view(), made.view()});
  executor->synchronize();
  return made;
}

std::vector<FieldInfo> VentricleOutputMesh::cell_fields() const {
  FieldInfo angle{"fiber_angle", "deg", Centring::cell}, sigma{"sigma", "", Centring::cell};
  sigma.width = 6;
  return {angle, sigma};
}

Array<double, 1> VentricleOutputMesh::cell_values(const ExecutorPtr& executor, std::size_t field,
                                                  const Range<1>& groups) const {
  if (groups.extent(0) == 0) return {executor, {0}};
  const CellStarts at(executor, source_.model().lattice, groups);
  const VentriclePatch patch = patch_of(executor, source_, groups);
  const Range<1> lines{{0}, {groups.extent(0)}};
  Array<double, 1> made(executor, {(field == 0 ? 1 : 6) * at.cells});
  const Label label{"ventricle cell values", 8.0 * static_cast<double>(made.size())};
  if (field == 0)
    launch(*executor, label, lines, LineAnglesBody{patch.mesh(), groups.lo[0], at.starts.view(), made.view()});
  else
    launch(*executor, label, lines, LineSigmasBody{patch.mesh(), groups.lo[0], at.starts.view(), made.view()});
  executor->synchronize();
  return made;
}

}  // namespace halocline::sparse
