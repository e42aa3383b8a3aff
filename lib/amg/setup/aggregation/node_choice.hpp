// NodeChoice: the next level has a few rows for every aggregate of nodes, with which it shows given vectors.
#pragma once

#include "lib/amg/setup/aggregation/tentative.hpp"
#include "lib/amg/setup/coarsening.hpp"

namespace halocline::amg {

class NodeChoice final : public CoarseChoice {
 public:
  // Of a level whose nodes are known. Collective.
  explicit NodeChoice(const Stage& stage);

  Index rows() const override { return rows_; }
  int rounds() const override { return rounds_; }
  const PointKind* own_kinds(int /*part*/) const override { return nullptr; }
  Interpolation interpolation(const Stage& stage, const sparse::RowSpacePtr& coarse, int entries) override;
  bool may_be_cut() const override { return false; }
  void pass_on(const Stage& stage, Stage& next) const override;

 private:
  Index rows_ = 0;
  int rounds_ = 0;
  sparse::RowSpacePtr nodes_;             // of the next level, where they were found
  std::vector<Array<Index, 1>> numbers_;  // of these
  std::optional<Tentative> tentative_;    // none where nodes are not coupled
};

}  // namespace halocline::amg
