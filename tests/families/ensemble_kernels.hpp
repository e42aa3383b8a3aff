#pragma once

#include "lib/base/view.hpp"

namespace halocline {

// One step of a system: Collatz's rule until 1 is reached, counting, and a logistic map beside it.
struct EnsembleBody {
  View<Index, 1> number, count;
  View<double, 1> x;
  HALOCLINE_HD void operator()(Index i) const {
    if (number(i) == 1) return;
    number(i) = number(i) % 2 == 0 ? number(i) / 2 : 3 * number(i) + 1;
    ++count(i);
    x(i) = 3.9 * x(i) * (1 - x(i));
  }
};

}  // namespace halocline
