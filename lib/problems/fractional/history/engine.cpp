#include "lib/problems/fractional/history/engine.hpp"

#include "gpu/launch.hpp"

namespace halocline::fractional {

Slots History::slots(int part) {
  Slots slots;
  for (int j = 0; j < block_; ++j) slots.data[j] = slot(j).data(part);
  return slots;
}

void History::near_pass(const NearTables& tables, const std::vector<DeviceTable>& near,
                        const std::vector<DeviceTable>& first, int sources, int from, int to) {
  slabs_->team().each([&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    const double* before = counts_first() ? this->first().data(p) : nullptr;
    const double bytes =
        8.0 * static_cast<double>(slab.lines() * slab.pitch) * (sources + 2 * (to - from) + (before ? 1 : 0));
    launch_rows(*slabs_->team().executor(p), {"history near", bytes}, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                NearPassBody{{slab, medium(p)},
                             slots(p),
                             before,
                             near[static_cast<std::size_t>(p)].data(),
                             first[static_cast<std::size_t>(p)].data(),
                             tables.slots,
                             sources,
                             from,
                             to});
  });
}

}  // namespace halocline::fractional
