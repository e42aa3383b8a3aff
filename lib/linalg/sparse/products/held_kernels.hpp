// Bodies of held_rows.cpp.
#pragma once

#include "lib/base/view.hpp"

namespace halocline::sparse {

// Where rows begin that follow others.
struct JoinRowsBody {
  View<const Index, 1> own, others;
  View<Index, 1> ptr;
  HALOCLINE_HD void operator()(Index i) const {
    const Index rows = own.extent[0] - 1;
    ptr(i) = i <= rows ? own(i) : own(rows) + others(i - rows);
  }
};

}  // namespace halocline::sparse
