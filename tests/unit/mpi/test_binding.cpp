#include "mpi/binding.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

namespace halocline {
namespace {

using Cores = std::vector<int>;
using Shares = std::vector<Cores>;

const CoreWish one{1, {}, false}, two{2, {}, false}, six{6, {}, false};

TEST(ShareCores, HostPartsShareInProportionToTheirThreads) {
  EXPECT_EQ(share_cores({0, 4, 1, 5}, {two, two}), (Shares{{0, 4}, {1, 5}}));
  EXPECT_EQ(share_cores({0, 1, 2, 3, 4, 5, 6, 7}, {six, two}), (Shares{{0, 1, 2, 3, 4, 5}, {6, 7}}));
  EXPECT_EQ(share_cores({0, 1}, {six, one}), (Shares{{0}, {1}}));
  EXPECT_EQ(share_cores({0, 1}, {one, six}), (Shares{{0}, {0, 1}}));
}

TEST(ShareCores, GpuPartsStayNearTheirCards) {
  const CoreWish near{1, {2, 3, 9}, true}, nowhere{1, {}, true}, elsewhere{1, {30}, true};
  EXPECT_EQ(share_cores({3, 2, 1, 0}, {near, two, nowhere, elsewhere}), (Shares{{2, 3}, {3, 2, 1, 0}, {}, {}}));
}

TEST(ShareCores, TooFewAreLeftToTheSystem) {
  EXPECT_EQ(share_cores({5}, {two}), Shares{{}});
  EXPECT_EQ(share_cores({}, {two}), Shares{{}});
  EXPECT_EQ(share_cores({0, 1}, {one, one, one}), (Shares{{}, {}, {}}));
}

TEST(BindThread, HoldsForTheThreadAlone) {
  const Cores all = usable_cores();
  ASSERT_FALSE(all.empty());
  std::thread([&] {
    EXPECT_TRUE(bind_thread({all.back()}));
    EXPECT_EQ(usable_cores(), Cores{all.back()});
    EXPECT_FALSE(bind_thread({}));
  }).join();
  EXPECT_EQ(usable_cores(), all);
}

TEST(OpenMP, IsLeftAloneWhenTheEnvironmentBindsIt) {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) unsetenv(name);
  EXPECT_FALSE(openmp_is_bound());
  setenv("OMP_PLACES", "cores", 1);
  EXPECT_TRUE(openmp_is_bound());
  setenv("OMP_PROC_BIND", "false", 1);
  EXPECT_FALSE(openmp_is_bound());
  setenv("OMP_PROC_BIND", "close", 1);
  EXPECT_TRUE(openmp_is_bound());
}

}  // namespace
}  // namespace halocline
