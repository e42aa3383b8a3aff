// AggregateChoice: the next level has a row for every aggregate, whose interpolation is constants, smoothed.
#pragma once

#include "lib/amg/setup/aggregation/aggregates.hpp"
#include "lib/amg/setup/coarsening.hpp"

namespace halocline::amg {

class AggregateChoice final : public CoarseChoice {
 public:
  // Of a level whose strength is known. Collective.
  explicit AggregateChoice(const Stage& stage) : aggregates_(*stage.a, *stage.strength, stage.numbers) {}

  Index rows() const override { return aggregates_.count(); }
  int rounds() const override { return aggregates_.rounds(); }
  const PointKind* own_kinds(int part) const override { return aggregates_.own_kinds(part); }
  Interpolation interpolation(const Stage& stage, const sparse::RowSpacePtr& coarse, int entries) override;
  bool may_be_cut() const override { return false; }
  void pass_on(const Stage& stage, Stage& next) const override;

 private:
  Aggregates aggregates_;
};

}  // namespace halocline::amg
