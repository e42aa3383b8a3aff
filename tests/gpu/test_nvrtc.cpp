// Run-time compilation of CUDA. Needs libnvrtc, not a GPU; the last case needs one.
#include <gtest/gtest.h>

#include <optional>

#include "gpu/cuda_executor.hpp"
#include "gpu/loaded_kernel.hpp"
#include "gpu/nvrtc.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr const char* scale_text = R"(
struct Arguments { double* values; double factor; long long count; };
double twice(double x) { return 2 * x; }
extern "C" __global__ void scale(Arguments a) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.count) a.values[i] = a.factor * twice(a.values[i]) + 1;
}
)";

struct ScaleArguments {
  double* values;
  double factor;
  long long count;
};

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_.emplace();
    } catch (const MachineError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::optional<Nvrtc> nvrtc_;
};

TEST(Nvrtc, SaysWhatIsMissing) {
  try {
    const Nvrtc nvrtc("/nowhere/libnvrtc.so");
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("tried /nowhere/libnvrtc.so"), std::string::npos) << error.what();
  }
}

TEST(Nvrtc, ReadsTheLog) {
  const std::string log =
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 0 barriers\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
      "ptxas info    : Used 255 registers\n";
  EXPECT_EQ(kernel_use(log, "first").registers, 40);
  EXPECT_EQ(kernel_use(log, "first").spill_bytes, 20);
  EXPECT_EQ(kernel_use(log, "first").stack_bytes, 16);
  EXPECT_EQ(kernel_use(log, "second").registers, 255);
  EXPECT_EQ(kernel_use(log, "second").spill_bytes, 0);
  EXPECT_EQ(kernel_use(log, "third").registers, 0);
}

TEST_F(NvrtcTest, CompilesForSeveralArchitectures) {
  EXPECT_EQ(nvrtc_->version().substr(0, 6), "NVRTC ");
  for (const int architecture : {80, 90}) {
    const Cubin cubin = nvrtc_->compile(scale_text, architecture);
    EXPECT_EQ(cubin.bytes.substr(1, 3), "ELF");
    EXPECT_NE(cubin.bytes.find("scale"), std::string::npos);
    EXPECT_GT(kernel_use(cubin.log, "scale").registers, 0) << cubin.log;
  }
}

TEST_F(NvrtcTest, ShowsTheCompilersMessages) {
  try {
    nvrtc_->compile("extern \"C\" __global__ void f() { nonsense; }", 90);
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
}

TEST_F(NvrtcTest, Runs_cuda) {
  const CudaDevices devices = cuda_devices();
  if (devices.list.empty()) GTEST_SKIP() << devices.why_none;
  const CudaDevice& device = devices.list[0];
  const ExecutorPtr executor = make_cuda_executor(0);
  const Cubin cubin = nvrtc_->compile(scale_text, 10 * device.major + device.minor);
  const LoadedKernel kernel(*executor, cubin.bytes, "scale");
  std::vector<double> host(1000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<double>(i);
  Array<double, 1> values(executor, {1000});
  executor->copy_in(values.view().data, host.data(), host.size() * sizeof(double));
  const ScaleArguments arguments{values.view().data, 0.5, 1000};
  kernel.launch(8, 128, &arguments);
  executor->copy_out(host.data(), values.view().data, host.size() * sizeof(double));
  for (std::size_t i = 0; i < host.size(); ++i) EXPECT_EQ(host[i], static_cast<double>(i) + 1);
  const int reported = kernel_use(cubin.log, "scale").registers;  // nothing where the library had it in its cache
  if (reported > 0) {
    EXPECT_EQ(kernel.registers(), reported);
  }
  EXPECT_GE(kernel.resident_threads(128), 128);
}

}  // namespace
}  // namespace halocline
