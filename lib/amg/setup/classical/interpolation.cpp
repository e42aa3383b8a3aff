#include "lib/amg/setup/classical/interpolation.hpp"

#include <array>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/amg/setup/classical/couplings.hpp"
#include "lib/amg/setup/classical/interpolation_kernels.hpp"
#include "lib/amg/setup/classical/reverse_entries.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"

namespace halocline::amg {
namespace {

static_assert(most_weights_of_row == most_weights);

// Room for as many entries of each row as counted; Columns: global or local.
template <class Columns>
Columns make_room(const ExecutorPtr& executor, Array<Index, 1> counts) {
  Columns rows;
  const Index entries = scan_counts(executor, counts.view());
  rows.ptr = std::move(counts);
  rows.col = {executor, {entries}};
  rows.val = {executor, {entries}};
  return rows;
}

class Interpolator {
 public:
  Interpolator(const sparse::DistCrs& a, const Strength& strength, const Splitting& splitting,
               const LocalValues<LocalIndex>* component)
      : a_(a), team_(a.team()), splitting_(splitting), couplings_(a, strength, splitting, component), beta_(a) {}

  sparse::DistCrs direct(const sparse::RowSpacePtr& coarse) {
    std::vector<sparse::GlobalRows> rows(static_cast<std::size_t>(team_.parts()));
    team_.each([&](int p) {
      const ExecutorPtr& executor = team_.executor(p);
      const FineRows fine = couplings_.rows(p);
      rows[p] = make_room<sparse::GlobalRows>(executor, couplings_.take_coarse_counts(p));
      launch(*executor, "direct", up_to(fine.rows.count),
             DirectBody{fine, splitting_.coarse(p), rows[p].ptr.view().data, rows[p].col.view().data,
                        rows[p].val.view().data, beta_.data(p)});
    });
    GhostExchange<double>(a_).forward(beta_);
    return {a_.rows_pointer(), coarse, std::move(rows)};
  }

  sparse::DistCrs distant(bool through_itself, Guards& guards) {
    const ReverseEntries reverse(a_, couplings_);
    std::vector<sparse::LocalRows> parts(static_cast<std::size_t>(team_.parts()));
    std::vector<std::array<Index, 2>> counts(parts.size());
    scale_.resize(parts.size());
    team_.each([&](int p) {
      const ExecutorPtr& executor = team_.executor(p);
      const FineRows fine = couplings_.rows(p);
      const Range<1> own = up_to(fine.rows.count);
      parts[p] = {make_room<sparse::Crs<double>>(executor, couplings_.take_fine_counts(p)), a_.ghosts(p)};
      sparse::Crs<double>& rows = parts[p].rows;
      scale_[p] = {executor, {own.size()}};
      counts[p] = count_guards(*executor, own,
                               DistantBody{fine, beta_.data(p), reverse.view(p), through_itself, rows.ptr.view().data,
                                           rows.col.view().data, rows.val.view().data, scale_[p].view().data});
    });
    guards = joined(counts);
    return {a_.rows_pointer(), a_.rows_pointer(), std::move(parts)};
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
      Array<Index, 1> counts(executor, {own.size() + 1});
      launch(*executor, "count kept", own,
             CountKeptBody{kind, from.ptr.data, from.val.data, scale, most, counts.view()});
      rows[p] = make_room<sparse::GlobalRows>(executor, std::move(counts));
      const sparse::GlobalNumbers global = global_numbers(executor, weights.columns().own(p), weights.ghosts(p));
      launch(*executor, "keep the largest weights", own,
             KeepBody{kind, splitting_.coarse(p) + below, from.ptr.data, from.col.data, from.val.data, scale, most,
                      global.view(), rows[p].ptr.view().data, rows[p].col.view().data, rows[p].val.view().data});
      executor->synchronize();  // the numbers are in use until then
    });
    return {a_.rows_pointer(), weights.columns_pointer(), std::move(rows)};
  }

 private:
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
  const Splitting& splitting_;
  Couplings couplings_;
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
