// Scans against running sums.
#include "gpu/primitives/scan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "lib/base/array.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

using ScanTest = OnEveryExecutor;

TEST_P(ScanTest, GivesTheSumsOfWhatComesBefore) {
  std::mt19937 random(1);
  for (const Index size : {0, 1, 2, 63, 64, 65, 5000, 8192, 8193, 100000, 300001}) {
    std::vector<Index> values(static_cast<std::size_t>(size)), wanted(values.size());
    for (Index& value : values) value = static_cast<Index>(random() % 1000);
    std::exclusive_scan(values.begin(), values.end(), wanted.begin(), Index{0});
    Array<Index, 1> array = make_array(executor(), values);
    exclusive_scan(executor(), array.view());
    EXPECT_EQ(array.to_host(), wanted) << size;
    if (size == 0) continue;
    array.assign(values);
    EXPECT_EQ(scan_counts(executor(), array.view()), wanted.back()) << size;
    EXPECT_EQ(array.to_host(), wanted) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, ScanTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
