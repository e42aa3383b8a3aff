// ElasticMesh: the cubes of an elastic box; behind the points that have rows come those of the clamped side.
#pragma once

#include "lib/problems/sparse/sources/elastic/elastic_kernels.hpp"
#include "lib/problems/sparse/sources/mesh.hpp"

namespace halocline::sparse {

class ElasticMesh final : public SourceMesh {
 public:
  explicit ElasticMesh(const ElasticLayout& layout) : layout_(layout) {}
  CellKind kind() const override { return CellKind::hexahedron; }
  int unknowns() const override { return 3; }
  Index fixed_points() const override { return layout_.nodes().lines(); }
  Array<double, 1> points(const ExecutorPtr& executor, const Range<1>& own) const override;
  Index groups() const override { return layout_.elements[0] * layout_.elements[1] * layout_.elements[2]; }
  Index cells(const ExecutorPtr& /*executor*/, const Range<1>& groups) const override { return groups.extent(0); }
  Array<Index, 1> corners(const ExecutorPtr& executor, const Range<1>& groups) const override;

 private:
  ElasticLayout layout_;
};

}  // namespace halocline::sparse
