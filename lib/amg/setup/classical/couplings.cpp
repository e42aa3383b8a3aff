#include "lib/amg/setup/classical/couplings.hpp"

#include "gpu/launch.hpp"
#include "lib/amg/setup/classical/couplings_kernels.hpp"
#include "lib/amg/setup/level_rows.hpp"

namespace halocline::amg {

Couplings::Couplings(const sparse::DistCrs& a, const Strength& strength, const Splitting& splitting,
                     const LocalValues<LocalIndex>* component)
    : a_(a), splitting_(splitting), parts_(static_cast<std::size_t>(a.team().parts())) {
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const LevelRows rows = level_rows(a, p);
    const Index entries = a.view(p).entries();
    Part& part = parts_[p] = {{executor, {entries}}, {executor, {rows.count + 1}}, {executor, {rows.count + 1}}};
    const double bytes = 10.0 * static_cast<double>(entries) + 28.0 * static_cast<double>(rows.count);
    launch(*executor, {"couplings", bytes}, Range<1>{{0}, {rows.count}},
           CouplingsBody{{rows, strength.strong(p)},
                         splitting.kind(p),
                         component == nullptr ? nullptr : component->data(p),
                         part.coupling.view().data,
                         part.coarse.view(),
                         part.fine.view()});
  });
}

FineRows Couplings::rows(int part) const {
  return {level_rows(a_, part), parts_[static_cast<std::size_t>(part)].coupling.view().data, splitting_.kind(part)};
}

}  // namespace halocline::amg
