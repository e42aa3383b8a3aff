// exclusive_scan: from counts to places.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/view.hpp"

namespace halocline {

// Every value becomes the sum of those before it, the first 0. Asynchronous, on the compute queue.
void exclusive_scan(const ExecutorPtr& executor, View<Index, 1> values);

// The same for `count` counts and one place behind them, whose contents do not matter: it gets their sum, which is
// returned. Waits for the device.
Index scan_counts(const ExecutorPtr& executor, View<Index, 1> counts);

}  // namespace halocline
