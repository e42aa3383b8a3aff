#include "lib/amg/setup/aggregation/smoothed.hpp"

#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/amg/setup/aggregation/smoothed_kernels.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"

namespace halocline::amg {

sparse::DistCrs smoothed(const sparse::DistCrs& a, const Strength* strength, const sparse::DistCrs& tentative) {
  std::vector<sparse::LocalRows> smoother(static_cast<std::size_t>(a.team().parts()));
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const FilteredRows rows{level_rows(a, p), strength == nullptr ? nullptr : strength->strong(p)};
    const Range<1> own{{0}, {rows.rows.count}};
    sparse::Crs<double>& to = smoother[p].rows;
    to.ptr = {executor, {own.size() + 1}};
    launch(*executor, "count filtered", own, CountFilteredBody{rows, to.ptr.view()});
    const Index entries = scan_counts(executor, to.ptr.view());
    to.col = {executor, {entries}};
    to.val = {executor, {entries}};
    launch(*executor, {"smoother", 24.0 * static_cast<double>(a.view(p).entries())}, own,
           SmootherRowBody{rows, std::as_const(to.ptr).view().data, to.col.view().data, to.val.view().data});
    smoother[p].ghosts = a.ghosts(p);
  });
  const sparse::DistCrs step(a.rows_pointer(), a.columns_pointer(), std::move(smoother));
  return multiply(step, tentative, sparse::Order::sorted);
}

}  // namespace halocline::amg
