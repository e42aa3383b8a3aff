// RowBins: rows of a product sorted by the tables that they need. For sources that are listed in halocline_kernels().
#pragma once

#include <array>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/base/array.hpp"
#include "lib/linalg/sparse/products/bin_kernels.hpp"

namespace halocline::sparse {

struct RowBins {
  Array<LocalIndex, 1> list;  // rows bin by bin, ascending in each
  std::array<Index, bins + 1> begin{};
  Index count(int bin) const { return begin[bin + 1] - begin[bin]; }
  const LocalIndex* rows(int bin) const { return list.view().data + begin[bin]; }
};

// `size`: entries that a table must take, of every row. Waits for the device.
template <class Size>
RowBins bin_rows(const ExecutorPtr& executor, Index rows, const Size& size) {
  RowBins sorted;
  sorted.list = Array<LocalIndex, 1>(executor, {rows});
  const Index strips = (rows + strip_rows - 1) / strip_rows;
  const Range<1> all{{0}, {strips}};
  Array<Index, 1> starts(executor, {bins * strips + 1}), begin(executor, {bins});
  const double bytes = 8.0 * static_cast<double>(rows);
  launch(*executor, {"count rows of bins", bytes}, all, CountBinsBody<Size>{size, rows, strips, starts.view()});
  scan_counts(executor, starts.view());
  launch(*executor, "begin of bins", Range<1>{{0}, {bins}},
         BinBeginBody{std::as_const(starts).view(), strips, begin.view()});
  launch(*executor, {"list rows of bins", 1.5 * bytes}, all,
         ListBinsBody<Size>{size, rows, strips, starts.view(), sorted.list.view().data});
  const std::vector<Index> found = begin.to_host();
  std::copy(found.begin(), found.end(), sorted.begin.begin());
  sorted.begin[bins] = rows;
  return sorted;
}

}  // namespace halocline::sparse
