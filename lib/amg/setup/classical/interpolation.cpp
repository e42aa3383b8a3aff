#include "lib/amg/setup/classical/interpolation.hpp"

#include <array>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/amg/setup/classical/interpolation_kernels.hpp"
#include "lib/amg/setup/classical/reverse_entries.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"

namespace halocline::amg {
namespace {

static_assert(most_weights_of_row == most_weights);

Range<1> up_to(Index count) { return {{0}, {count}}; }

// Room for the rows of one part, from the number of entries that `count(View)` puts in.
template <class Count>
sparse::GlobalRows make_room(const ExecutorPtr& executor, Index rows, const Count& count) {
  sparse::GlobalRows result{{executor, {rows + 1}}, {}, {}};
  count(result.ptr.view());
  const Index entries = scan_counts(executor, result.ptr.view());
  result.col = {executor, {entries}};
  result.val = {executor, {entries}};
  return result;
}

class Interpolator {
 public:
  Interpolator(const sparse::DistCrs& a, const Strength& strength, const Splitting& splitting,
               const LocalValues<LocalIndex>* component)
      : a_(a), team_(a.team()), strength_(strength), splitting_(splitting), component_(component), beta_(a) {}

  sparse::DistCrs direct(const sparse::RowSpacePtr& coarse) {
    std::vector<sparse::GlobalRows> rows(static_cast<std::size_t>(team_.parts()));
    team_.each([&](int p) {
      const ExecutorPtr& executor = team_.executor(p);
      const StrongRows strong = strong_rows(p);
      const Range<1> own = up_to(strong.rows.count);
      rows[p] = make_room(executor, own.size(), [&](const View<Index, 1>& count) {
        launch(*executor, "count direct", own,
               CountCouplingsBody{strong, splitting_.kind(p), points::coarse, false, count});
      });
      launch(*executor, "direct", own,
             DirectBody{strong, splitting_.kind(p), splitting_.coarse(p), rows[p].ptr.view().data,
                        rows[p].col.view().data, rows[p].val.view().data, beta_.data(p)});
    });
    GhostExchange<double>(a_).forward(beta_);
    return {a_.rows_pointer(), coarse, std::move(rows)};
  }

  sparse::DistCrs distant(bool through_itself, Guards& guards) {
    const ReverseEntries reverse(a_, strength_, splitting_);
    std::vector<sparse::GlobalRows> rows(static_cast<std::size_t>(team_.parts()));
    std::vector<std::array<Index, 2>> counts(rows.size());
    scale_.resize(rows.size());
    team_.each([&](int p) {
      const ExecutorPtr& executor = team_.executor(p);
      const FineRows fine{strong_rows(p), splitting_.kind(p), beta_.data(p),
                          component_ == nullptr ? nullptr : component_->data(p)};
      const Range<1> own = up_to(fine.a.rows.count);
      rows[p] = make_room(executor, own.size(), [&](const View<Index, 1>& count) {
        launch(*executor, "count distant", own, CountDistantBody{fine, count});
      });
      scale_[p] = {executor, {own.size()}};
      const sparse::GlobalNumbers global = global_numbers(executor, a_.rows().own(p), a_.ghosts(p));
      counts[p] =
          count_guards(*executor, own,
                       DistantBody{fine, reverse.view(p), through_itself, global.view(), rows[p].ptr.view().data,
                                   rows[p].col.view().data, rows[p].val.view().data, scale_[p].view().data});
    });
    guards = joined(counts);
    return {a_.rows_pointer(), a_.rows_pointer(), std::move(rows)};
  }

  sparse::DistCrs keep(const sparse::DistCrs& weights, int most) {
    std::vector<sparse::GlobalRows> rows(static_cast<std::size_t>(team_.parts()));
    team_.each([&](int p) {
      const ExecutorPtr& executor = team_.executor(p);
      const sparse::CrsView<double> from = weights.view(p);
      const Index below = a_.ghosts(p).below;
      const PointKind* kind = splitting_.kind(p) + below;
      const RowScale* scale = scale_[p].view().data;
      const Range<1> own = up_to(from.rows());
      rows[p] = make_room(executor, own.size(), [&](const View<Index, 1>& count) {
        launch(*executor, "count kept", own, CountKeptBody{kind, from.ptr.data, from.val.data, scale, most, count});
      });
      const sparse::GlobalNumbers global = global_numbers(executor, weights.columns().own(p), weights.ghosts(p));
      launch(*executor, "keep the largest weights", own,
             KeepBody{kind, splitting_.coarse(p) + below, from.ptr.data, from.col.data, from.val.data, scale, most,
                      global.view(), rows[p].ptr.view().data, rows[p].col.view().data, rows[p].val.view().data});
      executor->synchronize();  // the numbers are in use until then
    });
    return {a_.rows_pointer(), weights.columns_pointer(), std::move(rows)};
  }

 private:
  StrongRows strong_rows(int p) const { return {level_rows(a_, p), strength_.strong(p)}; }

  // Waits for the device.
  static std::array<Index, 2> count_guards(const Executor& executor, const Range<1>& own, const DistantBody& body) {
    const GuardCounts counts = reduce(executor, "distant", own, GuardCounts{0, 0}, AddCounts{}, CountGuardsBody{body});
    return {counts.without_itself, counts.direct};
  }
  Guards joined(const std::vector<std::array<Index, 2>>& counts) const {
    std::array<Index, 2> all = counts[0];
    for (std::size_t p = 1; p < counts.size() && !a_.rows().replicated(); ++p)
      for (std::size_t k = 0; k < 2; ++k) all[k] += counts[p][k];
    if (!a_.rows().replicated()) a_.rows().comm().sum(std::span<Index>(all));
    return {all[0], all[1]};
  }

  const sparse::DistCrs& a_;
  const Team& team_;
  const Strength& strength_;
  const Splitting& splitting_;
  const LocalValues<LocalIndex>* component_;
  LocalValues<double> beta_;
  std::vector<Array<RowScale, 1>> scale_;
};

}  // namespace

Interpolation interpolate(const sparse::DistCrs& a, const Strength& strength, const Splitting& splitting,
                          const sparse::RowSpacePtr& coarse, const InterpolationOptions& options,
                          const LocalValues<LocalIndex>* component) {
  require(options.entries > 0 && options.entries <= most_weights_of_row, "interpolate: entries of a row");
  Interpolator interpolator(a, strength, splitting, component);
  Guards guards;
  const sparse::DistCrs direct = interpolator.direct(coarse);
  const sparse::DistCrs distant = interpolator.distant(options.through_itself, guards);
  const sparse::DistCrs weights = multiply(distant, direct, sparse::Order::as_they_arise);
  return {interpolator.keep(weights, options.entries), guards};
}

}  // namespace halocline::amg
