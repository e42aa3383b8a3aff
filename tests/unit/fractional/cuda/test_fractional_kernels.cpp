// The CUDA kernels of family fractional, and forms that hosts have of their own, against the bodies that specify them:
// the same bits. On the host through gpu/block_kernel_host.hpp; with HALOCLINE_ON_GPU the library's kernels on a GPU.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "gpu/devices.hpp"
#include "lib/base/array.hpp"
#include "lib/problems/fractional/cuda/paths.hpp"
#include "lib/problems/fractional/history/host_flush.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/fractional/cuda/flush.cu"
#endif

namespace halocline::fractional {
namespace {

class FractionalKernels : public testing::TestWithParam<std::string> {
 protected:
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FractionalKernels);
#if defined(HALOCLINE_ON_GPU)
std::vector<std::string> devices() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, FractionalKernels, testing::ValuesIn(devices()));
#else
INSTANTIATE_TEST_SUITE_P(host, FractionalKernels, testing::Values("emulated:1"));
#endif

// All that a flush reads, one array, with the same numbers wherever it lies.
class FlushCase {
 public:
  FlushCase(const ExecutorPtr& executor, int terms, int width, Index nodes)
      : executor_(executor), terms_(terms), width_(width), nodes_(nodes) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<double> values(static_cast<std::size_t>((width + 1 + terms) * nodes + numbers()));
    for (double& value : values) value = any(engine);
    values_ = make_array(executor, values);
  }
  FlushTables tables() const {
    const double* const at = values_.view().data + (width_ + 1 + terms_) * nodes_;
    const Index states = terms_ * width_;
    return {terms_, width_, at + 2 * states, at + 2 * states + terms_, at, at + states};
  }
  Slots slots() {
    Slots slots;
    for (int j = 0; j < width_; ++j) slots.data[j] = values_.view().data + j * nodes_;
    return slots;
  }
  double* first() { return values_.view().data + width_ * nodes_; }
  States states() {
    States states;
    for (int k = 0; k < terms_; ++k) states.data[k] = first() + (k + 1) * nodes_;
    return states;
  }
  std::vector<double> result() const {
    executor_->synchronize();
    return values_.to_host();
  }

 private:
  Index numbers() const { return 2 * Index{terms_} * (width_ + 1); }
  ExecutorPtr executor_;
  int terms_, width_;
  Index nodes_;
  Array<double, 1> values_;
};

// A node at a time, as the body says.
std::vector<double> expected_flush(int terms, int width, Index nodes, bool takes) {
  FlushCase expected(make_omp_executor(1), terms, width, nodes);
  SlabLayout slab;
  slab.extent[0] = slab.pitch = slab.plane = nodes;
  slab.extent[1] = 1;
  const FlushBody<most_slots> body{{slab},           expected.tables(), expected.slots(),
                                   expected.first(), expected.states(), takes};
  for (Index i = 0; i < nodes; ++i) body(0, i);
  return expected.result();
}

TEST_P(FractionalKernels, FlushOfHosts) {
  for (const int width : {1, 3, 4, 6, 16, 64})
    for (const int terms : {0, 1, 4, 7, 192})
      for (const bool takes : {false, true}) {
        constexpr Index nodes = 64 + 24;
        FlushCase got(make_omp_executor(1), terms, width, nodes);
        const HostFlushBody body{got.tables(), got.slots(), got.first(), got.states(), takes, nodes};
        for (Index n = 0; n < body.tiles().hi[0]; ++n) body(n);
        EXPECT_EQ(got.result(), expected_flush(terms, width, nodes, takes)) << width << " slots, " << terms << " terms";
      }
}

TEST_P(FractionalKernels, Flush) {
  for (const int width : {4, 8, 16})
    for (const int terms : {0, 1, 4, 7, 41}) {
      constexpr Index nodes = 2 * 128 + 40;
      FlushCase got(executor, terms, width, nodes);
      ASSERT_TRUE(plan_flush(*executor, got.tables()));
      flush(*executor, "flush", got.tables(), got.slots(), got.first(), got.states(), nodes);
      EXPECT_EQ(got.result(), expected_flush(terms, width, nodes, true)) << width << " slots, " << terms << " terms";
    }
}

TEST_P(FractionalKernels, FlushRefusesWhatItHasNoCodeFor) {
  EXPECT_FALSE(plan_flush(*executor, {30, 5, nullptr, nullptr, nullptr, nullptr}));
  EXPECT_FALSE(plan_flush(*executor, {30, 32, nullptr, nullptr, nullptr, nullptr}));
}

}  // namespace
}  // namespace halocline::fractional
