#include "lib/amg/setup/aggregation/aggregate_choice.hpp"

#include "lib/amg/setup/aggregation/smoothed.hpp"
#include "lib/amg/setup/aggregation/tentative.hpp"

namespace halocline::amg {

Interpolation AggregateChoice::interpolation(const Stage& stage, const sparse::RowSpacePtr& coarse, int /*entries*/) {
  const sparse::DistCrs& a = *stage.a;
  std::vector<const Index*> aggregate;
  for (int p = 0; p < a.team().parts(); ++p) aggregate.push_back(aggregates_.of_own_rows(p));
  return {smoothed(a, &*stage.strength, members(a.rows_pointer(), coarse, aggregate)), {}};
}

void AggregateChoice::pass_on(const Stage& stage, Stage& next) const {
  const auto passed_on = [&](const std::vector<Array<Index, 1>>& kind) {
    return kind.empty() ? std::vector<Array<Index, 1>>()
                        : of_coarse_rows(*stage.a, aggregates_.roots(), kind, next.a->rows());
  };
  next.numbers = passed_on(stage.numbers);
  next.kinds.null_set = passed_on(stage.kinds.null_set);
}

}  // namespace halocline::amg
