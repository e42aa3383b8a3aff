// ClassicalChoice: the next level is C-points by PMIS, with extended+i interpolation.
#pragma once

#include "lib/amg/setup/coarsening.hpp"

namespace halocline::amg {

class ClassicalChoice final : public CoarseChoice {
 public:
  // Of a level whose strength is known. `component`: see Strength; null: none. Collective.
  ClassicalChoice(const Stage& stage, const InterpolationOptions& options,
                  std::optional<LocalValues<LocalIndex>> component);

  Index rows() const override { return splitting_.coarse_rows(); }
  int rounds() const override { return splitting_.rounds(); }
  const PointKind* own_kinds(int part) const override;
  Interpolation interpolation(const Stage& stage, const sparse::RowSpacePtr& coarse, int entries) override;
  bool may_be_cut() const override { return true; }
  void pass_on(const Stage& stage, Stage& next) const override;

 private:
  InterpolationOptions options_;
  std::optional<LocalValues<LocalIndex>> component_;
  Splitting splitting_;
  std::vector<Index> below_;  // ghosts of every part
};

// Components of local columns; nothing where none are told of. Collective.
std::optional<LocalValues<LocalIndex>> local_components(const Stage& stage);

}  // namespace halocline::amg
