#include "lib/amg/setup/weights.hpp"

#include <algorithm>
#include <array>

#include "gpu/launch.hpp"
#include "lib/amg/setup/weights_kernels.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::amg {

LevelScaling::LevelScaling(const sparse::DistCrs& a, const RowSizes& sizes, const std::vector<const PointKind*>& kinds,
                           const WeightOptions& options)
    : parts_(static_cast<std::size_t>(a.team().parts())) {
  const Team& team = a.team();
  std::vector<WeightExtremes> extremes(parts_.size(), {1, 0});
  std::vector<ExactSum> sums(parts_.size());
  team.each([&](int p) {
    const ExecutorPtr& executor = team.executor(p);
    const Index rows = a.rows().own_size(p);
    Part& part = parts_[p] = {{executor, {rows}}, {executor, {rows}}, {executor, {rows}}, {executor, {rows}}};
    const WeightRule weight{sizes.diagonal[p].view().data, sizes.sums[p].view().data,
                            kinds[static_cast<std::size_t>(p)], options.omega, options.bound};
    launch(*executor, {"weights", 48.0 * static_cast<double>(rows)}, up_to(rows),
           ScaleBody{weight, part.left.view().data, part.right.view().data, part.inverse_left.view().data,
                     part.inverse_right.view().data});
    extremes[p] = reduce(*executor, "extreme weights", up_to(rows), extremes[p], JoinExtremes{}, ExtremesBody{weight});
    constexpr Index chunk = SumWeightsBody::rows_of_chunk;
    sum_chunks<1>(*executor, "sum of weights", (rows + chunk - 1) / chunk, SumWeightsBody{weight, rows},
                  std::span<ExactSum, 1>(&sums[p], 1));
  });
  const std::size_t counted = a.rows().replicated() ? 1 : parts_.size();
  for (std::size_t p = 1; p < counted; ++p) {
    extremes[0] = JoinExtremes{}(extremes[0], extremes[p]);
    sums[0].add(sums[p]);
  }
  std::array<double, 2> joined{-extremes[0].smallest, extremes[0].largest_row};
  if (!a.rows().replicated()) {
    a.rows().comm().max(joined);
    a.rows().comm().sum(std::span<ExactSum>(sums.data(), 1));
  }
  a.rows().tell(std::span<double>(joined));
  smallest_ = -joined[0];
  largest_row_ = joined[1];
  mean_ = sums[0].value() / static_cast<double>(std::max<Index>(a.rows().size(), 1));
  a.rows().tell(std::span<double>(&mean_, 1));
}

LocalValues<double> for_columns(const sparse::DistCrs& m, const std::vector<const double*>& own) {
  LocalValues<double> values(m);
  m.team().each([&](int p) {
    launch(*m.team().executor(p), "factors", up_to(m.columns().own_size(p)), CopyBody{own[p], values.own(p)});
  });
  GhostExchange<double>(m).forward(values);
  return values;
}

}  // namespace halocline::amg
