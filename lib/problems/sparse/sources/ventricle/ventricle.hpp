// VentricleSource: the stiffness matrix of a heart's left ventricle on a mesh of random tetrahedra, made row by row; it
// stands in for the matrix of Rosenberger and Haase, SFB-Report 2017-010.
#pragma once

#include <vector>

#include "lib/problems/sparse/sources/source.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle_model.hpp"

namespace halocline::sparse {

class VentricleSource final : public RowSource {
 public:
  // Counts the nodes of all lines of the lattice: about 0.1 s for a million of them.
  explicit VentricleSource(const VentricleModel& model);

  Index rows() const override { return starts_.back(); }
  std::unique_ptr<PartRows> part(const ExecutorPtr& executor, const Range<1>& own, double t) const override;
  bool depends_on_time() const override { return true; }  // the right side alone
  std::unique_ptr<SourceMesh> mesh() const override;

  const VentricleModel& model() const { return model_; }
  // First row of every line of the lattice, and the number of rows at the end; for numbering `lattice`.
  const std::vector<Index>& starts() const { return starts_; }
  // For the other numberings: the row of every node of the lattice, -1 for those that do not belong to the mesh.
  const std::vector<Index>& numbers() const { return numbers_; }

 private:
  VentricleModel model_;
  std::vector<Index> starts_, numbers_;
};

}  // namespace halocline::sparse
