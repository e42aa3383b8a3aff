// Refresh: new values for the hierarchy of a matrix whose pattern stays, by the numeric phases of the set-up alone.
//
// C-points and interpolation stay as the full set-up found them, as AmgX with structure reuse, AMGCL's rebuild() and
// PETSc's reused interpolation have it. Made again are the matrices of all levels, from products whose patterns are
// known, the weights of the smoother and the scaling by them, and the inverse of the coarsest matrix. The hierarchy of
// the values that the set-up knew comes out the same to the bit.
#pragma once

#include <memory>
#include <vector>

#include "lib/amg/level_values.hpp"
#include "lib/multigrid/hierarchy.hpp"

namespace halocline::amg {

template <class T>
class Refresh {
 public:
  // `stages`: of all levels, with what CoarseningOptions::keep leaves. `coarsest`: of the vectors that the inverse is
  // applied to; null where the last level is swept over.
  Refresh(std::vector<std::unique_ptr<Stage>> stages, const WeightOptions& weights, std::shared_ptr<Ends> ends,
          VectorSpacePtr coarsest);

  // `a`: of the pattern of the matrix that the levels were made from. Collective.
  void run(const sparse::DistCrs& a, multigrid::Hierarchy<T>& levels, HierarchyFacts& facts);

 private:
  const Team& team() const { return ends_->in.space().team(); }
  void renew(Stage& stage, Stage* next, multigrid::Level<T>& level);

  std::vector<std::unique_ptr<Stage>> stages_;
  WeightOptions weights_;
  std::shared_ptr<Ends> ends_;
  VectorSpacePtr coarsest_;
};

}  // namespace halocline::amg
