#include "mpi/halo_kernels.hpp"

#include "gpu/launch.hpp"

namespace halocline {

template <class Positions>
void gather(const Executor& executor, View<const double, 1> from, const Positions& position, View<double, 1> buffer) {
  launch(executor, "halo_gather", Range<1>{{0}, {buffer.size()}}, GatherBody<Positions>{from, buffer, position});
}

template <class Positions>
void scatter(const Executor& executor, View<const double, 1> buffer, const Positions& position, View<double, 1> to) {
  launch(executor, "halo_scatter", Range<1>{{0}, {buffer.size()}}, ScatterBody<Positions>{buffer, to, position});
}

template void gather(const Executor&, View<const double, 1>, const BoxPositions&, View<double, 1>);
template void gather(const Executor&, View<const double, 1>, const ListPositions&, View<double, 1>);
template void scatter(const Executor&, View<const double, 1>, const BoxPositions&, View<double, 1>);
template void scatter(const Executor&, View<const double, 1>, const ListPositions&, View<double, 1>);

}  // namespace halocline
