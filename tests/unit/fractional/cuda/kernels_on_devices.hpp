// Where tests of CUDA kernels run: their text on the host, or with HALOCLINE_ON_GPU the library's on a GPU.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/devices.hpp"

namespace halocline::fractional {

class KernelTest : public testing::TestWithParam<std::string> {
 protected:
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};

inline std::vector<std::string> kernel_devices() {
#if defined(HALOCLINE_ON_GPU)
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
#else
  return {"emulated:1"};
#endif
}
// In names of tests.
inline std::string device_word(const testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find(':'));
}

}  // namespace halocline::fractional
