#include "lib/linalg/sparse/products/rank_rows.hpp"

#include <limits>

#include "lib/linalg/sparse/products/rank_kernels.hpp"
#include "lib/linalg/sparse/products/row_bins.hpp"

namespace halocline::sparse {
namespace {

// Threads of a row that is as most rows are, and of a long one.
constexpr Index few_lanes = 8, many_lanes = 512;
constexpr int long_bin = 4;  // of rows with more entries than the tables before it take
constexpr Index most_short = room_of(slots_of_bin(long_bin - 1));

}  // namespace

void rank_rows(const ExecutorPtr& executor, const CrsView<double>& from, LocalIndex* col, double* val) {
  const KnownSizes size{from.ptr};
  launch(*executor, {"sort rows", 24.0 * static_cast<double>(from.entries())},
         Range<2>{{0, 0}, {from.rows(), few_lanes}}, RankRowBody{from, col, val, nullptr, most_short, few_lanes});
  const Index longest =
      reduce(*executor, "longest row", Range<1>{{0}, {from.rows()}}, Index{0}, LargerIndex{}, LargestSizeBody{size});
  if (longest <= most_short) return;
  const RowBins sorted = bin_rows(executor, from.rows(), size);
  launch(*executor, "sort long rows", Range<2>{{0, 0}, {from.rows() - sorted.begin[long_bin], many_lanes}},
         RankRowBody{from, col, val, sorted.rows(long_bin), std::numeric_limits<Index>::max(), many_lanes});
  executor->wait(executor->record(Queue::compute));  // the list is in use until then
}

}  // namespace halocline::sparse
