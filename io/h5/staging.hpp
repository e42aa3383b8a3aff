// Copies of device data on the host, in the order of files: one staging place for all writers, so that no device memory
// ever reaches HDF5 or MPI.
#pragma once

#include <memory>
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

// Memory of the host in which values from a device arrive, page-locked where that makes copies fast. Keeps its room
// from one use to the next. GPUs whose values it has held outlive it.
class StagingBuffer {
 public:
  StagingBuffer() = default;
  ~StagingBuffer() { release(); }
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;
  double* room(const Executor& executor, Index values);

 private:
  void release() noexcept;
  const Executor* owner_ = nullptr;  // of page-locked memory; null: the memory below
  std::unique_ptr<double[]> plain_;
  double* data_ = nullptr;
  Index values_ = 0;
};

// Copies a view into the buffer. The result has the same indices and may have gaps between its rows.
View<const double, 3> copy_to(StagingBuffer& buffer, View<const double, 3> values, const Executor& executor);

// The values of a view on the host, dense.
std::vector<double> pack(const View<const double, 3>& values);

}  // namespace halocline
