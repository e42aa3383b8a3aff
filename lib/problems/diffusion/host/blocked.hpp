// The sweep of the host: tiles of a part, each in one pass (tile_pass.hpp), on all threads with no barrier between
// steps. With one step per sweep it is the fused pass at the speed of the memory.
#pragma once

#include <memory>

#include "lib/base/executor.hpp"
#include "lib/problems/diffusion/host/blocking.hpp"
#include "lib/problems/diffusion/host/rows.hpp"
#include "lib/problems/diffusion/sweep.hpp"

namespace halocline::diffusion {

// For executors whose work runs on the host. Null where the shape does not allow it: radius above 4.
template <class T>
std::unique_ptr<Sweep<T>> make_blocked_sweep(const SweepShape& shape, const Executor& executor);
// With a blocking and a width of registers of one's own, for tests and measurements.
template <class T>
std::unique_ptr<Sweep<T>> make_blocked_sweep(const SweepShape& shape, const Executor& executor,
                                             const Blocking& blocking, RowLanes lanes);

}  // namespace halocline::diffusion
