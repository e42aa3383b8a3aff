// Parts of compiled formulas on the executor that evaluates them.
#pragma once

#include <span>
#include <vector>

#include "lib/base/array.hpp"

namespace halocline {

template <class T>
Array<T, 1> placed(const ExecutorPtr& executor, std::span<const T> values) {
  return make_array(executor, std::vector<T>(values.begin(), values.end()));
}

}  // namespace halocline
