#include "lib/linalg/sparse/formats/storage_order.hpp"

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

std::vector<LocalIndex> StorageOrder::places_on_host(int part) const {
  return natural() ? std::vector<LocalIndex>{} : of(part).place.to_host();
}

}  // namespace halocline::sparse
