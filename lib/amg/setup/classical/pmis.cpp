#include "lib/amg/setup/classical/pmis.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/classical/pmis_kernels.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/amg/setup/strength_kernels.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::amg {

// What the rounds need, and forget at the end.
class Splitting::Rounds {
 public:
  Rounds(const sparse::DistCrs& a, const Strength& strength, LocalValues<PointKind>& kind)
      : a_(a), strength_(strength), kind_(kind), key_(a), marks_(a), follows_(a), forward_(a), back_(a) {}

  void begin(const std::vector<Array<Index, 1>>& numbers) {
    clear_marks();
    each([&](int p, const Executor& executor, const StrongRows& rows) {
      launch(executor, "count dependents", up_to(rows.rows.count), CountDependentsBody{rows, marks_.data(p)});
    });
    back_.add(marks_);
    each([&](int p, const Executor& executor, const StrongRows& rows) {
      launch(executor, "first kinds", up_to(rows.rows.count),
             FirstKindBody{rows, marks_.data(p), numbers[p].view().data, key_.data(p), kind_.data(p)});
    });
    GhostExchange<Index>(a_).forward(key_);
    forward_.forward(kind_);
  }

  // Returns whether rows are left that are undecided.
  bool round() {
    clear_marks();
    each([&](int p, const Executor& executor, const StrongRows& rows) {
      launch(executor, "beaten", up_to(rows.rows.count), BeatBody{rows, kind_.data(p), key_.data(p), marks_.data(p)});
    });
    back_.add(marks_);
    each([&](int p, const Executor& executor, const StrongRows& rows) {
      launch(executor, "choose", up_to(rows.rows.count), ChooseBody{marks_.own(p), kind_.own(p)});
    });
    forward_.forward(kind_);
    std::vector<int> left(static_cast<std::size_t>(a_.team().parts()));
    each([&](int p, const Executor& executor, const StrongRows& rows) {
      launch(executor, "follow", up_to(rows.rows.count), FollowBody{rows, kind_.data(p), follows_.data(p)});
      left[p] =
          reduce(executor, "settle", up_to(rows.rows.count), 0, Either{}, SettleBody{follows_.own(p), kind_.own(p)});
    });
    forward_.forward(kind_);
    const bool any = std::find(left.begin(), left.end(), 1) != left.end();
    return a_.rows().replicated() ? any : !a_.rows().comm().agree(!any);
  }

  void finish() {
    each([](int, const Executor& executor, const StrongRows&) { executor.synchronize(); });
  }

 private:
  template <class Work>
  void each(const Work& work) {
    a_.team().each([&](int p) { work(p, *a_.team().executor(p), StrongRows{level_rows(a_, p), strength_.strong(p)}); });
  }
  void clear_marks() {
    each([&](int p, const Executor& executor, const StrongRows&) {
      launch(executor, "clear marks", up_to(a_.local_columns(p)), ClearBody{marks_.data(p)});
    });
  }

  const sparse::DistCrs& a_;
  const Strength& strength_;
  LocalValues<PointKind>& kind_;
  LocalValues<Index> key_;
  LocalValues<LocalIndex> marks_, follows_;
  GhostExchange<PointKind> forward_;
  GhostReturn back_;
};

Splitting::Splitting(const sparse::DistCrs& a, const Strength& strength, const std::vector<Array<Index, 1>>& numbers)
    : kind_(a) {
  Rounds rounds(a, strength, kind_);
  rounds.begin(numbers);
  do ++rounds_;
  while (rounds.round());
  rounds.finish();
  numbers_.emplace(a, kind_);
}

}  // namespace halocline::amg
