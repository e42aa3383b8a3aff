// What tests of runs on several parts share: a run on parts against one on a single part, to the bit.
#pragma once

#include <gtest/gtest.h>

#include "tests/unit/executors.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline {

inline void expect_equal_bits(const RunResult& parts, const RunResult& whole) {
  EXPECT_EQ(parts.output.all_series, whole.output.all_series);
  for (const Finding& finding : whole.findings.list) EXPECT_EQ(parts[finding.name], finding.value) << finding.name;
  for (const auto& [name, blocks] : parts.output.fields) {
    const FieldBlock& all = whole.output.fields.at(name).front();
    const Index points = all.block.extent(1);
    for (const FieldBlock& block : blocks) {
      const double* expected = all.values.data() + block.block.lo[0] * points;
      for (std::size_t i = 0; i < block.values.size(); ++i) ASSERT_EQ(block.values[i], expected[i]) << name << " " << i;
    }
  }
}

// One part of the host; of a GPU for a GPU, which rounds differently (fused operations).
inline ExecutorPtr reference_for(TestDevice device) {
  return make_test_executor(device == TestDevice::cuda ? TestDevice::cuda : TestDevice::omp_1);
}

}  // namespace halocline
