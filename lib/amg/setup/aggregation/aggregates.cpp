#include "lib/amg/setup/aggregation/aggregates.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/aggregation/aggregates_kernels.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/amg/setup/strength_kernels.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::amg {
namespace {

template <class Work>
void for_each_part(const sparse::DistCrs& a, const Strength& strength, const Work& work) {
  a.team().each([&](int p) {
    work(p, *a.team().executor(p), StrongRows{level_rows(a, p), strength.strong(p)}, up_to(a.rows().own_size(p)));
  });
}

}  // namespace

// What choosing roots needs, and forgets at the end.
class Aggregates::Rounds {
 public:
  Rounds(const sparse::DistCrs& a, const Strength& strength, const std::vector<Array<Index, 1>>& numbers)
      : a_(a), strength_(strength), key_(a), next_(a), after_next_(a), exchange_(a) {
    for_each_part(a, strength, [&](int p, const Executor& executor, const StrongRows& rows, const Range<1>& own) {
      launch(executor, "first keys", own, FirstKeyBody{rows, numbers[p].view().data, key_.data(p)});
    });
    exchange_.forward(key_);
  }

  // Returns whether rows are left that are undecided.
  bool round() {
    spread(key_, next_);
    exchange_.forward(next_);
    spread(next_, after_next_);
    std::vector<int> left(static_cast<std::size_t>(a_.team().parts()));
    for_each_part(a_, strength_, [&](int p, const Executor& executor, const StrongRows&, const Range<1>& own) {
      left[p] = reduce(executor, "decide", own, 0, Either{}, DecideBody{after_next_.own(p), key_.own(p)});
    });
    exchange_.forward(key_);
    const bool any = std::find(left.begin(), left.end(), 1) != left.end();
    return a_.rows().replicated() ? any : !a_.rows().comm().agree(!any);
  }

  void finish(LocalValues<PointKind>& kind) {
    for_each_part(a_, strength_, [&](int p, const Executor& executor, const StrongRows&, const Range<1>& own) {
      launch(executor, "roots", own, IsRootBody{key_.own(p), kind.own(p)});
      executor.synchronize();  // the keys are in use until then
    });
  }

 private:
  void spread(const LocalValues<Index>& from, LocalValues<Index>& to) {
    for_each_part(a_, strength_, [&](int p, const Executor& executor, const StrongRows& rows, const Range<1>& own) {
      launch(executor, "largest keys", own, LargestKeyBody{rows, from.data(p), to.data(p)});
    });
  }

  const sparse::DistCrs& a_;
  const Strength& strength_;
  LocalValues<Index> key_, next_, after_next_;
  GhostExchange<Index> exchange_;
};

Aggregates::Aggregates(const sparse::DistCrs& a, const Strength& strength, const std::vector<Array<Index, 1>>& numbers)
    : kind_(a), aggregate_(static_cast<std::size_t>(a.team().parts())) {
  Rounds rounds(a, strength, numbers);
  do ++rounds_;
  while (rounds.round());
  rounds.finish(kind_);
  roots_.emplace(a, kind_);
  join(a, strength);
}

void Aggregates::join(const sparse::DistCrs& a, const Strength& strength) {
  LocalValues<Index> joined(a);
  for_each_part(a, strength, [&](int p, const Executor& executor, const StrongRows& rows, const Range<1>& own) {
    launch(executor, "join roots", own, JoinRootBody{rows, roots_->of_rows(p), joined.data(p)});
  });
  GhostExchange<Index>(a).forward(joined);
  for_each_part(a, strength, [&](int p, const Executor& executor, const StrongRows& rows, const Range<1>& own) {
    aggregate_[p] = {a.team().executor(p), {own.size()}};
    launch(executor, "join the rest", own, JoinRestBody{rows, joined.data(p), aggregate_[p].view().data});
    launch(executor, "kinds", own, KindBody{std::as_const(aggregate_[p]).view().data, kind_.own(p)});
    executor.synchronize();  // what was joined is in use until then
  });
}

}  // namespace halocline::amg
