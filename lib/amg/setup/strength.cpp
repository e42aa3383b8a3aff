#include "lib/amg/setup/strength.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/amg/setup/strength_kernels.hpp"

namespace halocline::amg {
namespace {

constexpr double dominance = 0.9;

bool of_all_ranks(const sparse::DistCrs& a, bool any) {
  if (!a.rows().replicated()) return !a.rows().comm().agree(!any);
  Index found = any ? 1 : 0;
  a.rows().tell(std::span<Index>(&found, 1));
  return found != 0;
}

RowSizes room_for_sizes(const sparse::DistCrs& a) {
  RowSizes sizes;
  for (int p = 0; p < a.team().parts(); ++p) {
    const std::array<Index, 1> rows{a.rows().own_size(p)};
    sizes.diagonal.emplace_back(a.team().executor(p), rows);
    sizes.sums.emplace_back(a.team().executor(p), rows);
  }
  return sizes;
}

}  // namespace

RowSizes row_sizes(const sparse::DistCrs& a) {
  RowSizes sizes = room_for_sizes(a);
  a.team().each([&](int p) {
    const LevelRows rows = level_rows(a, p);
    launch(*a.team().executor(p), {"sizes of rows", 12.0 * static_cast<double>(a.view(p).entries())},
           Range<1>{{0}, {rows.count}}, RowSizesBody{rows, sizes.diagonal[p].view().data, sizes.sums[p].view().data});
  });
  return sizes;
}

Strength::Strength(const sparse::DistCrs& a, double theta, const LocalValues<LocalIndex>* component)
    : strong_(static_cast<std::size_t>(a.team().parts())), sizes_(room_for_sizes(a)) {
  std::vector<int> any(strong_.size());
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const LevelRows rows = level_rows(a, p);
    const Index entries = a.view(p).entries();
    strong_[p] = {executor, {entries}};
    const StrengthBody body{rows,
                            component == nullptr ? nullptr : component->data(p),
                            theta,
                            dominance,
                            strong_[p].view().data,
                            sizes_.diagonal[p].view().data,
                            sizes_.sums[p].view().data};
    const double bytes = 13.0 * static_cast<double>(entries) + 24.0 * static_cast<double>(rows.count);
    any[p] = reduce(*executor, {"strength", bytes}, Range<1>{{0}, {rows.count}}, 0, Either{}, body);
  });
  any_ = of_all_ranks(a, std::find(any.begin(), any.end(), 1) != any.end());
}

Strength::Strength(const sparse::DistCrs& a, Flags strong, RowSizes sizes, bool any)
    : strong_(std::move(strong)), sizes_(std::move(sizes)), any_(of_all_ranks(a, any)) {}

}  // namespace halocline::amg
