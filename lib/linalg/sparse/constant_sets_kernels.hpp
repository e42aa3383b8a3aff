// Bodies for gpu/launch.hpp: labels of rows, which sink until they are equal in every connected component.
//
// A row's label is 0 or a row's number plus 1, at first its own.
#pragma once

#include "lib/base/atomics.hpp"
#include "lib/linalg/sparse/crs_layout.hpp"

namespace halocline::sparse {

// 0 where the sum of a row is more than rounding.
struct FirstLabelBody {
  CrsView<double> a;
  Index first;  // global number of the part's first row
  double tolerance;
  Index* labels;  // of own rows
  HALOCLINE_HD void operator()(Index row) const {
    double sum = 0, size = 0;
    for (Index e = a.ptr(row); e < a.ptr(row + 1); ++e) {
      const double value = a.val(e);
      sum += value;
      size += value < 0 ? -value : value;
    }
    const bool vanishes = (sum < 0 ? -sum : sum) <= tolerance * size;
    labels[row] = vanishes ? first + row + 1 : 0;
  }
};

// The lowest label of a row, its neighbors and the row that it is called after; 1 where that is new. Rows may see
// labels of this pass or of the one before: labels only sink, and where they end does not depend on it.
struct LowerLabelBody {
  CrsView<double> a;
  Index below;       // ghosts below the own columns
  Index first, own;  // global number of the part's first row, how many it has
  Index* labels;     // of local columns
  HALOCLINE_HD int operator()(Index row) const {
    Index* const place = labels + below + row;
    const Index before = atomic_get(place);
    Index lowest = before;
    for (Index e = a.ptr(row); e < a.ptr(row + 1) && lowest > 0; ++e) {
      const Index other = atomic_get(labels + a.col(e));
      lowest = other < lowest ? other : lowest;
    }
    if (const Index named = lowest - 1 - first; lowest > 0 && named >= 0 && named < own) {
      const Index other = atomic_get(labels + below + named);
      lowest = other < lowest ? other : lowest;
    }
    if (lowest == before) return 0;
    atomic_set(place, lowest);
    return 1;
  }
};

struct EitherChange {
  HALOCLINE_HD int operator()(int a, int b) const { return a | b; }
};

// From labels to numbers of sets by the ascending list of labels that are left.
struct SetNumberBody {
  const Index* labels;  // of own rows
  View<const Index, 1> names;
  View<double, 1> numbers;
  HALOCLINE_HD void operator()(Index row) const {
    Index low = 0, high = names.size();  // the first name that is not less than the label
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (names(middle) < labels[row]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    numbers(row) = labels[row] > 0 ? static_cast<double>(low + 1) : 0;
  }
};

}  // namespace halocline::sparse
