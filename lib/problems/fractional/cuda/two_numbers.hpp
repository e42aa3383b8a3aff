// Two neighbors in memory, read and written at once. For .cu files.
#pragma once

namespace halocline::fractional {

struct alignas(16) TwoNumbers {
  double a, b;
};

}  // namespace halocline::fractional
