#include "mpi/halo/halo_kernels.hpp"

#include "gpu/launch.hpp"

namespace halocline {

namespace {

// Bytes read and written for so many numbers.
template <class T>
double moved(Index count) {
  return 2 * static_cast<double>(count) * sizeof(T);
}

}  // namespace

template <class T, class Positions>
void gather(const Executor& executor, View<const T, 1> from, const Positions& position, View<T, 1> buffer) {
  launch(executor, {"halo gather", moved<T>(buffer.size())}, Range<1>{{0}, {buffer.size()}},
         GatherBody<T, Positions>{from, buffer, position});
}

template <class T, class Positions>
void scatter(const Executor& executor, View<const T, 1> buffer, const Positions& position, View<T, 1> to) {
  launch(executor, {"halo scatter", moved<T>(buffer.size())}, Range<1>{{0}, {buffer.size()}},
         ScatterBody<T, Positions>{buffer, to, position});
}

template <class T>
void spread(const Executor& executor, View<const T, 1> from, const ListPositions& position,
            const Stretches<T>& stretches) {
  const Index count = position.list.size();
  launch(executor, {"halo gather", moved<T>(count)}, Range<1>{{0}, {count}}, SpreadBody<T>{from, position, stretches});
}

#define HALOCLINE_MOVES(T, Positions)                                                    \
  template void gather(const Executor&, View<const T, 1>, const Positions&, View<T, 1>); \
  template void scatter(const Executor&, View<const T, 1>, const Positions&, View<T, 1>);
#define HALOCLINE_MOVES_OF(T)       \
  HALOCLINE_MOVES(T, BoxPositions)  \
  HALOCLINE_MOVES(T, ListPositions) \
  template void spread(const Executor&, View<const T, 1>, const ListPositions&, const Stretches<T>&);
HALOCLINE_MOVES_OF(double)
HALOCLINE_MOVES_OF(float)
HALOCLINE_MOVES_OF(std::int32_t)
HALOCLINE_MOVES_OF(std::int64_t)

}  // namespace halocline
