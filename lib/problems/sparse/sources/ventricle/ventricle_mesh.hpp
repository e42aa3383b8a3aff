// VentricleOutputMesh: the tetrahedra of a ventricle for output, with the direction of fibers and the conductivity.
#pragma once

#include "lib/problems/sparse/sources/mesh.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"

namespace halocline::sparse {

// Groups of cells are lines of cubes; in a line cubes ascend, and in a cube its tetrahedra.
class VentricleOutputMesh final : public SourceMesh {
 public:
  explicit VentricleOutputMesh(const VentricleSource& source) : source_(source) {}
  CellKind kind() const override { return CellKind::tetrahedron; }
  const char* length_unit() const override { return "cm"; }
  Array<double, 1> points(const ExecutorPtr& executor, const Range<1>& own) const override;
  Index groups() const override { return source_.model().lattice.lines(); }
  Index cells(const ExecutorPtr& executor, const Range<1>& groups) const override;
  Array<Index, 1> corners(const ExecutorPtr& executor, const Range<1>& groups) const override;
  // fiber_angle, in degrees from the circumferential to the longitudinal direction, and sigma, a symmetric tensor.
  std::vector<FieldInfo> cell_fields() const override;
  Array<double, 1> cell_values(const ExecutorPtr& executor, std::size_t field, const Range<1>& groups) const override;

 private:
  const VentricleSource& source_;
};

}  // namespace halocline::sparse
