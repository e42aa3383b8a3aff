#include "lib/linalg/sparse/products/replicate.hpp"

#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/base/error.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/fetch_rows.hpp"
#include "lib/linalg/sparse/products/replicate_kernels.hpp"

namespace halocline::sparse {
namespace {

// Rows that a part does not own.
std::vector<std::vector<Index>> all_others(const RowSpace& rows) {
  std::vector<std::vector<Index>> needed(static_cast<std::size_t>(rows.team().parts()));
  for (int p = 0; p < rows.team().parts(); ++p)
    for (Index row = 0; row < rows.size(); ++row)
      if (row < rows.own(p).lo[0] || row >= rows.own(p).hi[0]) needed[p].push_back(row);
  return needed;
}

template <class T>
Array<T, 1> copy_of(const ExecutorPtr& executor, const View<const T, 1>& from) {
  Array<T, 1> to(executor, {from.size()});
  executor->copy_async(to.view().data, from.data, static_cast<std::size_t>(from.size()) * sizeof(T), Queue::compute);
  return to;
}

}  // namespace

DistCrs replicate(const DistCrs& a, RowSpacePtr rows, RowSpacePtr columns) {
  require(rows->replicated() && columns->replicated(), "replicate: spaces that are not replicated");
  const Team& team = a.team();
  const RowFetch fetch(a, all_others(a.rows()));
  std::vector<LocalRows> parts(static_cast<std::size_t>(team.parts()));
  team.each([&](int p) {
    const ExecutorPtr& executor = team.executor(p);
    const AllRows all{fetch.own(a, p), fetch.view(p), a.rows().own(p).lo[0]};
    const GlobalNumbers global = global_numbers(executor, a.columns().own(p), fetch.ghosts(p));
    Crs<double>& to = parts[p].rows;
    to.ptr = Array<Index, 1>(executor, {rows->size() + 1});
    launch(*executor, "length of rows", up_to(rows->size()), LengthOfRowBody{all, to.ptr.view()});
    const Index entries = scan_counts(executor, to.ptr.view());
    to.col = Array<LocalIndex, 1>(executor, {entries});
    to.val = Array<double, 1>(executor, {entries});
    launch(*executor, {"replicate rows", 24.0 * static_cast<double>(entries)}, up_to(rows->size()),
           CopyRowBody{all, global.view(), std::as_const(to.ptr).view(), to.col.view(), to.val.view()});
    executor->synchronize();  // the numbers are in use until then
  });
  return {std::move(rows), std::move(columns), std::move(parts)};
}

DistCrs replicate_columns(const DistCrs& a, RowSpacePtr columns) {
  require(columns->replicated(), "replicate_columns: a space that is not replicated");
  const Team& team = a.team();
  std::vector<LocalRows> parts(static_cast<std::size_t>(team.parts()));
  team.each([&](int p) {
    const ExecutorPtr& executor = team.executor(p);
    const CrsView<double> rows = a.view(p);
    const GlobalNumbers global = global_numbers(executor, a.columns().own(p), a.ghosts(p));
    Crs<double>& to = parts[p].rows;
    to.ptr = copy_of(executor, rows.ptr);
    to.val = copy_of(executor, rows.val);
    to.col = Array<LocalIndex, 1>(executor, {rows.entries()});
    launch(*executor, {"global columns", 8.0 * static_cast<double>(rows.entries())}, up_to(rows.entries()),
           GlobalColumnBody{rows.col, global.view(), to.col.view()});
    executor->synchronize();  // the numbers are in use until then
  });
  return {a.rows_pointer(), std::move(columns), std::move(parts)};
}

}  // namespace halocline::sparse
