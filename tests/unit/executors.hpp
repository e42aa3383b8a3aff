// The executors every unit is tested on (a GPU where there is one), and the fixture that loops over them:
//   using AxpyTest = OnEveryExecutor;
//   TEST_P(AxpyTest, ...) { ... executor() ... }
//   INSTANTIATE_TEST_SUITE_P(Executors, AxpyTest, every_executor(), executor_name);
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/devices.hpp"
#include "lib/base/executor.hpp"

namespace halocline {

enum class TestDevice { omp_1, omp_3, emulated, emulated_lazy, cuda };

// `number`: several executors of a kind use several GPUs, as far as there are. `profiled`: see make_omp_executor().
inline ExecutorPtr make_test_executor(TestDevice device, int number = 0, const Timers* profiled = nullptr) {
  switch (device) {
    case TestDevice::omp_1:
      return make_omp_executor(1, profiled);
    case TestDevice::omp_3:
      return make_omp_executor(3, profiled);
    case TestDevice::emulated:
      return make_emulated_executor(1, false, profiled);
    case TestDevice::cuda:
      return make_executor("cuda:" + std::to_string(number % cuda_device_count()), 1, profiled);
    case TestDevice::emulated_lazy:
      break;
  }
  return make_emulated_executor(1, true, profiled);
}

inline std::vector<ExecutorPtr> make_test_executors(TestDevice device, int count, const Timers* profiled = nullptr) {
  std::vector<ExecutorPtr> executors;
  for (int i = 0; i < count; ++i) executors.push_back(make_test_executor(device, i, profiled));
  return executors;
}

class OnEveryExecutor : public testing::TestWithParam<TestDevice> {
 protected:
  const ExecutorPtr& executor() const { return executor_; }

 private:
  ExecutorPtr executor_ = make_test_executor(GetParam());
};

inline std::vector<TestDevice> test_devices() {
  std::vector<TestDevice> devices{TestDevice::omp_1, TestDevice::omp_3, TestDevice::emulated,
                                  TestDevice::emulated_lazy};
  if (cuda_device_count() > 0) devices.push_back(TestDevice::cuda);
  return devices;
}

inline auto every_executor() { return testing::ValuesIn(test_devices()); }

inline std::string executor_name(const testing::TestParamInfo<TestDevice>& info) {
  static const char* const names[] = {"omp_1", "omp_3", "emulated", "emulated_lazy", "cuda"};
  return names[static_cast<int>(info.param)];
}

}  // namespace halocline
