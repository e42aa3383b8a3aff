// scaled_copy: from one precision to another, times a factor.
#pragma once

#include "lib/base/executor.hpp"

namespace halocline {

// to = factor * from, computed in double and rounded to To: `rows` rows of `size` numbers, one behind the other; size
// is a multiple of 4, and both begin where four of their numbers may be moved as one. `name`: of the launch.
// Asynchronous. double and float, either way.
template <class From, class To>
void scaled_copy(const Executor& executor, const char* name, Index rows, Index size, double factor, const From* from,
                 To* to);

}  // namespace halocline
