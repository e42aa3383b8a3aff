// Every message about a GPU that fails, without one.
#include "gpu/cuda_faults.hpp"

#include <gtest/gtest.h>

namespace halocline {
namespace {

TEST(WhyNoDevice, TellsDriversFromDevices) {
  EXPECT_EQ(why_no_device(0, 13000, ""), "no NVIDIA driver on this machine");
  EXPECT_EQ(why_no_device(12080, 13000, ""),
            "the NVIDIA driver is too old: it serves CUDA 12.8, this program needs 13.0");
  EXPECT_EQ(why_no_device(13010, 13010, ""), "no CUDA device is visible");
  EXPECT_EQ(why_no_device(13010, 13010, "cudaGetDeviceCount failed: x"), "cudaGetDeviceCount failed: x");
}

TEST(WhyNotDevice, TellsHowManyThereAre) {
  const CudaDevices none{{}, "no NVIDIA driver on this machine"}, one{{{"A"}}, ""}, two{{{"A"}, {"B"}}, ""};
  EXPECT_EQ(why_not_device(0, none), "device 'cuda:0': no NVIDIA driver on this machine; use omp or auto");
  EXPECT_EQ(why_not_device(1, one), "device 'cuda:1': this process sees 1 CUDA device, cuda:0");
  EXPECT_EQ(why_not_device(9, two), "device 'cuda:9': this process sees 2 CUDA devices, cuda:0 to cuda:1");
  EXPECT_EQ(why_not_device(1, two), "");
}

TEST(Launches, SuspectsAreTheKernelsSinceTheLastWait) {
  Launches launches;
  EXPECT_EQ(launches.suspects(), "");
  launches.note("a");
  launches.note("b");
  launches.finished(launches.launched());
  EXPECT_EQ(launches.suspects(), "");
  {
    const std::string brief = "c";  // names need not live on
    launches.note(brief.c_str());
  }
  launches.note("d");
  launches.note("c");
  EXPECT_EQ(launches.suspects(), "; kernels since the last wait: c, d");
  launches.finished(3);  // an event recorded behind the first c
  EXPECT_EQ(launches.suspects(), "; kernels since the last wait: d, c");
}

TEST(Launches, OfManyTheLastEightRemain) {
  Launches launches;
  for (int i = 0; i < 100; ++i) launches.note(std::to_string(i).c_str());
  EXPECT_EQ(launches.suspects(), "; kernels since the last wait: 92, 93, 94, 95, 96, 97, 98, 99");
  launches.note(std::string(200, 'x').c_str());
  EXPECT_TRUE(launches.suspects().ends_with(", " + std::string(47, 'x')));
}

}  // namespace
}  // namespace halocline
