// Crs: compressed rows of one part in the memory of its executor.
#pragma once

#include "lib/base/array.hpp"
#include "lib/linalg/sparse/crs_layout.hpp"

namespace halocline::sparse {

template <class T>
struct Crs {
  Array<Index, 1> ptr;
  Array<LocalIndex, 1> col;
  Array<T, 1> val;
  CrsView<T> view() const { return {ptr.view(), col.view(), val.view()}; }
};

}  // namespace halocline::sparse
