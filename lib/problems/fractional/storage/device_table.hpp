// DeviceTable: a few numbers that kernels read and that change now and then, without waiting for the device.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "lib/base/array.hpp"

namespace halocline::fractional {

/// T: double or float.
template <class T>
class DeviceTable {
 public:
  DeviceTable(ExecutorPtr executor, Index size) : memory_(std::move(executor), {std::max<Index>(size, 1)}) {
    for (Staged& staged : staged_) staged.values.reserve(static_cast<std::size_t>(memory_.size()));
  }
  /// At most as many numbers as made for, rounded to T. Queued on the compute queue: kernels launched before see the
  /// old ones.
  void assign(const std::vector<double>& values) {
    require(static_cast<Index>(values.size()) <= memory_.size(), "DeviceTable: too many numbers");
    if (values.empty()) return;
    Staged& staged = staged_[static_cast<std::size_t>(next_)];
    next_ = 1 - next_;
    const Executor& executor = *memory_.executor();
    if (staged.used) executor.wait(staged.copied);
    staged.values.resize(values.size());
    std::transform(values.begin(), values.end(), staged.values.begin(), [](double value) { return T(value); });
    executor.copy_in_async(memory_.view().data, staged.values.data(), values.size() * sizeof(T), Queue::compute);
    staged.copied = executor.record(Queue::compute);
    staged.used = true;
  }
  const T* data() const { return memory_.view().data; }

 private:
  struct Staged {  // lives until its copy has run
    std::vector<T> values;
    Event copied;
    bool used = false;
  };
  Array<T, 1> memory_;
  std::array<Staged, 2> staged_;
  int next_ = 0;
};

}  // namespace halocline::fractional
