// Copies of device data on the host, in the order of files: one staging place for all writers, so that no device memory
// ever reaches HDF5 or MPI.
#pragma once

#include <vector>

#include "lib/base/executor.hpp"
#include "lib/base/publish.hpp"
#include "lib/base/view.hpp"

namespace halocline {

// Copies memory[0..size) of `executor` to the host.
template <class T>
std::vector<T> stage(View<const T, 1> values, const Executor& executor);

// Copies a view, which may have gaps between its rows, to a dense host array in file order (z, y, x), x fastest.
// `order` says whether the view is indexed (x, y, z) or (z, y, x).
std::vector<double> stage(View<const double, 3> values, AxisOrder order, const Executor& executor);

}  // namespace halocline
