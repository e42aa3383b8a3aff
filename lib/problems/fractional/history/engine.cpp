#include "lib/problems/fractional/history/engine.hpp"

#include "gpu/launch.hpp"

namespace halocline::fractional {

template <class T>
SlotsOf<T> History<T>::slots(int part) {
  SlotsOf<T> slots;
  for (int j = 0; j < block_; ++j) slots.data[j] = slot(j).data(part);
  return slots;
}

template <class T>
void History<T>::near_pass(const NearTables& tables, const std::vector<DeviceTable<T>>& near,
                           const std::vector<DeviceTable<T>>& first, int sources, int from, int to) {
  slabs_->team().each([&](int p) {
    const Executor& executor = *slabs_->team().executor(p);
    const SlabLayout slab = layout_of_nodes(executor, slabs_->layout(p));
    FirstOf<T> before;
    if (counts_first()) before.data[0] = this->first().data(p);
    const double bytes = sizeof(T) * static_cast<double>(slab.lines() * slab.pitch) *
                         (sources + 2 * (to - from) + (counts_first() ? 1 : 0));
    launch_rows(executor, {"history near", bytes}, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                NearPassBody<T>{{slab, medium(p)},
                                slots(p),
                                before,
                                slots(p),
                                near[static_cast<std::size_t>(p)].data(),
                                first[static_cast<std::size_t>(p)].data(),
                                tables.slots,
                                sources,
                                from,
                                to});
  });
}

template class History<double>;
template class History<float>;

}  // namespace halocline::fractional
