// A StateArchive in memory, for one rank: saved once, restored on any number of parts.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "lib/base/packed_archive.hpp"

namespace halocline {

class MemoryArchive final : public StateArchive, public ArchivePieces {
 public:
  void restore_from_now_on() { restoring_ = true; }
  bool restoring() const override { return restoring_; }
  void scalar(const char* name, double& value) override { scalar_of(doubles_, name, value); }
  void scalar(const char* name, Index& value) override { scalar_of(integers_, name, value); }
  void block(const char* name, Index total, Index width, Range<1> rows, View<double, 1> values,
             const Executor& executor) override {
    block_of(arrays_[name], total, width, rows, values, executor);
  }
  void block(const char* name, Index total, Index width, Range<1> rows, View<Index, 1> values,
             const Executor& executor) override {
    block_of(integer_arrays_[name], total, width, rows, values, executor);
  }
  void piece(const char* name, Index total, Index width, const Range<2>& box, View<double, 1> values,
             const Executor& executor) override {
    for (Index row = 0; row < box.extent(0); ++row)  // as if the array had rows of one value
      block_of(arrays_[name], total * width, 1,
               {{(box.lo[0] + row) * width + box.lo[1]}, {(box.lo[0] + row) * width + box.hi[1]}},
               View<double, 1>(values.data + row * box.extent(1), box.extent(1)), executor);
  }

 private:
  template <class T>
  void block_of(std::vector<T>& all, Index total, Index width, Range<1> rows, View<T, 1> values,
                const Executor& executor) {
    all.resize(static_cast<std::size_t>(total * width));
    T* own = all.data() + rows.lo[0] * width;
    const auto bytes = static_cast<std::size_t>(rows.extent(0) * width) * sizeof(T);
    if (bytes == 0) return;
    if (restoring_) {
      executor.copy_in(values.data, own, bytes);
    } else {
      executor.copy_out(own, values.data, bytes);
    }
  }
  template <class T>
  void scalar_of(std::map<std::string, T>& kept, const char* name, T& value) {
    if (restoring_) {
      value = kept.at(name);
    } else {
      kept[name] = value;
    }
  }
  bool restoring_ = false;
  std::map<std::string, double> doubles_;
  std::map<std::string, Index> integers_;
  std::map<std::string, std::vector<double>> arrays_;
  std::map<std::string, std::vector<Index>> integer_arrays_;
};

}  // namespace halocline
