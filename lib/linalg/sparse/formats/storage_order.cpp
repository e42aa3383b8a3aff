#include "lib/linalg/sparse/formats/storage_order.hpp"

#include <numeric>

#include "gpu/launch.hpp"
#include "lib/base/error.hpp"
#include "lib/linalg/sparse/formats/storage_kernels.hpp"

namespace halocline::sparse {
namespace {

constexpr Index unit = 1024;  // parts begin at its multiples

}  // namespace

StorageOrder::StorageOrder(const DistCrs& a, Index sigma) : StorageOrder(a.team().parts()) {
  require(sigma == 1 || (sigma > 0 && sigma % 32 == 0 && unit % sigma == 0), "StorageOrder: no such window");
  sigma_ = sigma;
  if (natural()) return;
  a.team().each([&](int p) {
    const Index rows = a.rows().own_size(p);
    require(rows == 0 || a.rows().own(p).lo[0] % sigma == 0, "StorageOrder: a part begins within a window");
    const ExecutorPtr& executor = a.team().executor(p);
    Part& part = parts_[p] = {{executor, {rows}}, {executor, {rows}}};
    launch_rows(*executor, {"sort rows by length", 16.0 * static_cast<double>(rows)},
                Range<2>{{0, 0}, {(rows + sigma - 1) / sigma, sigma}},
                SortWindowBody{a.view(p).ptr.data, rows, sigma, part.place.view().data, part.row_at.view().data});
  });
}

StorageOrder::StorageOrder(const Team& team, const StorageOrder& own, const std::vector<Index>& own_rows,
                           const std::vector<std::vector<LocalIndex>>& more)
    : StorageOrder(team.parts()) {
  sigma_ = unit;  // as it may be any order
  team.each([&](int p) {
    const auto rows = static_cast<LocalIndex>(own_rows[p]);
    std::vector<LocalIndex> place = own.places_on_host(p);
    if (place.empty()) {
      place.resize(static_cast<std::size_t>(rows));
      std::iota(place.begin(), place.end(), LocalIndex{0});
    }
    place.resize(place.size() + more[p].size());
    for (std::size_t n = 0; n < more[p].size(); ++n)
      place[static_cast<std::size_t>(rows + more[p][n])] = rows + static_cast<LocalIndex>(n);
    std::vector<LocalIndex> row_at(place.size());
    for (std::size_t row = 0; row < place.size(); ++row)
      row_at[static_cast<std::size_t>(place[row])] = static_cast<LocalIndex>(row);
    parts_[p] = {make_array(team.executor(p), place), make_array(team.executor(p), row_at)};
  });
}

std::vector<LocalIndex> StorageOrder::places_on_host(int part) const {
  return natural() ? std::vector<LocalIndex>{} : of(part).place.to_host();
}

}  // namespace halocline::sparse
