#include "lib/amg/setup/strength.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/amg/setup/strength_kernels.hpp"

namespace halocline::amg {
namespace {

constexpr double dominance = 0.9;

}  // namespace

Strength::Strength(const sparse::DistCrs& a, double theta, const LocalValues<LocalIndex>* component)
    : parts_(static_cast<std::size_t>(a.team().parts())) {
  std::vector<int> any(parts_.size());
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const LevelRows rows = level_rows(a, p);
    const Index entries = a.view(p).entries();
    parts_[p] = {{executor, {entries}}, {executor, {rows.count}}, {executor, {rows.count}}};
    const StrengthBody body{rows,
                            component == nullptr ? nullptr : component->data(p),
                            theta,
                            dominance,
                            parts_[p].strong.view().data,
                            parts_[p].diagonal.view().data,
                            parts_[p].sizes.view().data};
    const double bytes = 13.0 * static_cast<double>(entries) + 24.0 * static_cast<double>(rows.count);
    any[p] = reduce(*executor, {"strength", bytes}, Range<1>{{0}, {rows.count}}, 0, Either{}, body);
  });
  any_ = std::find(any.begin(), any.end(), 1) != any.end();
  if (!a.rows().replicated()) any_ = !a.rows().comm().agree(!any_);
}

}  // namespace halocline::amg
