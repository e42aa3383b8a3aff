// Block kernels on the host through the shim; compiled by nvcc as well, where the same cases run on a GPU.
#include "gpu/block_kernel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>

#include "gpu/devices.hpp"
#include "lib/base/array.hpp"
#include "tests/unit/gpu/example_blocks.cu"

namespace halocline {
namespace {

class BlockKernelTest : public testing::TestWithParam<std::string> {
 protected:
  Array<double, 1> placed(const std::vector<double>& host) const {
    Array<double, 1> array(executor, {static_cast<Index>(host.size())});
    array.assign(host);
    return array;
  }
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BlockKernelTest);
#if defined(__CUDACC__)
std::vector<std::string> devices() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, BlockKernelTest, testing::ValuesIn(devices()));
#else
INSTANTIATE_TEST_SUITE_P(host, BlockKernelTest, testing::Values("omp:1", "emulated:1", "emulated-lazy:2"));
#endif

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST_P(BlockKernelTest, SumsThroughWarpsSharedMemoryAndAtomics) {
  for (const Index n : {1, 127, 5000}) {
    const auto x = placed(numbers(static_cast<std::size_t>(n)));
    auto sum = placed({1000});
    launch_blocks(*executor, "dot", {{3}, {128}}, dot<128>, n, x.view().data, x.view().data, sum.view().data);
    const auto m = static_cast<double>(n);
    EXPECT_EQ(sum.to_host()[0], 1000 + m * (m + 1) * (2 * m + 1) / 6);
  }
}

TEST_P(BlockKernelTest, TransposesThroughDynamicSharedMemoryAndAsynchronousCopies) {
  const Index rows = 37, columns = 50;
  const auto in = placed(numbers(static_cast<std::size_t>(rows * columns)));
  auto out = placed(std::vector<double>(static_cast<std::size_t>(rows * columns), -1));
  launch_blocks(*executor, "transpose", {{4, 3}, {16, 16}, 16 * 17 * sizeof(double)}, transpose, rows, columns,
                in.view().data, out.view().data, 17);
  const std::vector<double> got = out.to_host();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) ASSERT_EQ(got[j * rows + i], static_cast<double>(i * columns + j + 1));
}

TEST_P(BlockKernelTest, BlocksMeetAtTheGridBarrier) {
  const Index n = 1000;
  const int steps = 6;
  auto x = placed(numbers(static_cast<std::size_t>(n))), y = placed(std::vector<double>(static_cast<std::size_t>(n)));
  const int most = resident_blocks(*executor, "ring", 64, 0, ring);
  ASSERT_GE(most, 2);
  launch_resident(*executor, "ring", {{static_cast<unsigned>(std::min(most, 4))}, {64}}, ring, n, x.view().data,
                  y.view().data, steps);
  std::vector<double> expected = numbers(static_cast<std::size_t>(n));
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> old = expected;
    for (Index i = 0; i < n; ++i) expected[i] = old[(i + n - 1) % n] + old[(i + 1) % n];
  }
  EXPECT_EQ(x.to_host(), expected);
}

TEST_P(BlockKernelTest, LanesOfAMaskVote) {
  Array<int, 1> values(executor, {64}), counts(executor, {64});
  std::vector<int> host(64), expected(64, -1);
  for (int i = 0; i < 64; ++i) {
    host[i] = i / 3;
    if (i % 2 == 1 && host[i] % 2 == 1) ++expected[i < 32 ? 1 : 33];
  }
  for (int i = 1; i < 64; i += 2) expected[i] = i == 1 || i == 33 ? expected[i] + 1 : expected[i < 32 ? 1 : 33];
  values.assign(host);
  launch_blocks(*executor, "count odd", {{1}, {64}}, count_odd, values.view().data, counts.view().data);
  EXPECT_EQ(counts.to_host(), expected);
}

#if defined(__CUDACC__)

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const MachineError& error) {
    return error.what();
  }
  return "no error";
}

// A refused launch names its kernel at once and leaves the device as it was.
TEST_P(BlockKernelTest, RefusedLaunchesNameTheirKernel) {
  const auto x = placed({1});
  auto sum = placed({0});
  const auto start = [&](const Blocks& blocks) {
    launch_blocks(*executor, "too large", blocks, dot<128>, Index{1}, x.view().data, x.view().data, sum.view().data);
  };
  for (const Blocks& blocks : {Blocks{{1}, {2048}}, Blocks{{1, 70000}, {128}}})
    EXPECT_NE(message_of([&] { start(blocks); }).find("cuda:0: launch of kernel 'too large' failed: "),
              std::string::npos);
  EXPECT_NE(message_of([&] {
              start({{1}, {128}, 1 << 20});
            }).find("cuda:0: kernel 'too large' cannot be started: "),
            std::string::npos);
  start({{1}, {128}});
  EXPECT_EQ(sum.to_host()[0], 1);
  const auto crowd = static_cast<unsigned>(resident_blocks(*executor, "ring", 64, 0, ring)) + 1;
  auto a = placed({1, 2}), b = placed({1, 2});
  const std::string text = message_of([&] {
    launch_resident(*executor, "crowd", {{crowd}, {64}}, ring, Index{2}, a.view().data, b.view().data, 1);
  });
  EXPECT_NE(text.find("launch of kernel 'crowd' failed: "), std::string::npos) << text;
}

#else

__global__ void shift_without_barrier(unsigned by, const double* x, double* y) {
  __shared__ double tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = tile[(threadIdx.x + by) % 256];
}

TEST(BlockKernelShim, ShowsAMissingBarrier) {
  const std::vector<double> x = numbers(256);
  for (const unsigned by : {1, 255}) {
    std::vector<double> y(256), shifted = x;
    std::rotate(shifted.begin(), shifted.begin() + by, shifted.end());
    launch_blocks(*make_omp_executor(1), "shift", {{1}, {256}}, shift_without_barrier, by, x.data(), y.data());
    EXPECT_NE(y, shifted) << by;
  }
}

// One of the threads waits elsewhere than the others of its warp.
__global__ void split_barrier() {
  if (threadIdx.x == 3) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}
__global__ void lonely_grid_barrier() {
  if (blockIdx.x == 0) grid_barrier();
}

TEST(BlockKernelShim, EndsWhenABarrierIsNotReached) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ExecutorPtr host = make_omp_executor(1);
  EXPECT_DEATH(launch_blocks(*host, "split", {{1}, {64}}, split_barrier), "a barrier that not all threads reach");
  EXPECT_DEATH(launch_resident(*host, "lonely", {{2}, {32}}, lonely_grid_barrier),
               "a grid barrier that .* never reaches");
  EXPECT_DEATH(launch_blocks(*host, "lonely", {{2}, {32}}, lonely_grid_barrier), "in a kernel of launch_blocks");
}

TEST(BlockKernelShim, RefusesGridsThatNoDeviceTakes) {
  const ExecutorPtr host = make_omp_executor(1);
  EXPECT_THROW(launch_blocks(*host, "large", {{1}, {1025}}, split_barrier), InternalError);
  EXPECT_THROW(launch_blocks(*host, "tall", {{1, 65536}, {1}}, split_barrier), InternalError);
  EXPECT_THROW(launch_blocks(*host, "fat", {{1}, {1}, 300'000}, split_barrier), InternalError);
  EXPECT_THROW(launch_resident(*host, "wide", {{1000}, {1}}, split_barrier), InternalError);
}

#if defined(__SANITIZE_ADDRESS__)
// One row too few in dynamic shared memory, one value too few in global memory, one thread too many for an array.
TEST(BlockKernelShim, SanitizersSeeWrongIndices) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ExecutorPtr host = make_omp_executor(1);
  std::vector<double> in(256), out(256);
  EXPECT_DEATH(launch_blocks(*host, "transpose", {{1}, {16, 16}, 15 * 17 * sizeof(double)}, transpose, Index{16},
                             Index{16}, in.data(), out.data(), 17),
               "heap-buffer-overflow");
  in.resize(255), in.shrink_to_fit();
  EXPECT_DEATH(launch_blocks(*host, "transpose", {{1}, {16, 16}, 16 * 17 * sizeof(double)}, transpose, Index{16},
                             Index{16}, in.data(), out.data(), 17),
               "heap-buffer-overflow");
  in.resize(257), out.resize(257);
  EXPECT_DEATH(launch_blocks(*host, "shift", {{1}, {257}}, shift_without_barrier, 0U, out.data(), in.data()),
               "index 256 out of bounds");
}
#endif

#endif

}  // namespace
}  // namespace halocline
