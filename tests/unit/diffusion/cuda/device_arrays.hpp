// DeviceArrays: copies of the arrays of a RandomBlock on a device.
#pragma once

#include <list>
#include <vector>

#include "lib/base/array.hpp"

namespace halocline::diffusion {

class DeviceArrays {
 public:
  explicit DeviceArrays(const ExecutorPtr& executor) : executor_(executor) {}
  // The place on the device for a pointer into an array.
  template <class V, class P>
  P* operator()(std::vector<V>& array, P* pointer) {
    const auto bytes = static_cast<Index>(array.size() * sizeof(V));
    copies_.push_back({array.data(), Array<char, 1>(executor_, {bytes})});
    char* there = copies_.back().there.view().data;
    executor_->copy_in(there, array.data(), static_cast<std::size_t>(bytes));
    return reinterpret_cast<P*>(there +
                                (reinterpret_cast<const char*>(pointer) - reinterpret_cast<char*>(array.data())));
  }
  void bring_back() {
    for (Copy& copy : copies_)
      executor_->copy_out(copy.here, copy.there.view().data, static_cast<std::size_t>(copy.there.view().size()));
  }

 private:
  struct Copy {
    void* here;
    Array<char, 1> there;
  };
  ExecutorPtr executor_;
  std::list<Copy> copies_;
};

}  // namespace halocline::diffusion
