#include "lib/amg/setup/classical/classical_choice.hpp"

#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/coarse_kernels.hpp"

namespace halocline::amg {

ClassicalChoice::ClassicalChoice(const Stage& stage, const InterpolationOptions& options,
                                 std::optional<LocalValues<LocalIndex>> component)
    : options_(options), component_(std::move(component)), splitting_(*stage.a, *stage.strength, stage.numbers) {
  for (int p = 0; p < stage.a->team().parts(); ++p) below_.push_back(stage.a->ghosts(p).below);
}

const PointKind* ClassicalChoice::own_kinds(int part) const {
  return splitting_.kind(part) + below_[static_cast<std::size_t>(part)];
}

Interpolation ClassicalChoice::interpolation(const Stage& stage, const sparse::RowSpacePtr& coarse, int entries) {
  InterpolationOptions options = options_;
  options.entries = entries;
  return interpolate(*stage.a, *stage.strength, splitting_, coarse, options, component_ ? &*component_ : nullptr);
}

void ClassicalChoice::pass_on(const Stage& stage, Stage& next) const {
  const auto passed_on = [&](const std::vector<Array<Index, 1>>& kind) {
    return kind.empty() ? std::vector<Array<Index, 1>>()
                        : of_coarse_rows(*stage.a, splitting_.numbers(), kind, next.a->rows());
  };
  next.numbers = passed_on(stage.numbers);
  next.kinds = {passed_on(stage.kinds.component), passed_on(stage.kinds.null_set), {}, {}};
}

std::optional<LocalValues<LocalIndex>> local_components(const Stage& stage) {
  if (stage.kinds.component.empty()) return {};
  const sparse::DistCrs& a = *stage.a;
  LocalValues<LocalIndex> local(a);
  a.team().each([&](int p) {
    launch(*a.team().executor(p), "components", Range<1>{{0}, {a.rows().own_size(p)}},
           NarrowBody{stage.kinds.component[p].view().data, local.own(p)});
  });
  GhostExchange<LocalIndex>(a).forward(local);
  return local;
}

}  // namespace halocline::amg
