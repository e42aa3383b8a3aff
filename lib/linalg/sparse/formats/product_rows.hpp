// Rows: the rows of a matrix in double or float in a format for products, part by part; see row_products.hpp.
#pragma once

#include <vector>

#include "lib/linalg/sparse/formats/row_pattern.hpp"

namespace halocline::sparse {

// Factors of a part in its executor's memory: of its rows, and of its local columns, ghosts included, both in natural
// order; null: 1.
struct Scaling {
  const double *left = nullptr, *right = nullptr;
};

template <class T>
class Rows {
 public:
  struct Part {
    Array<T, 1> values, long_values;
    // Sums of long rows while a product is under way: of their pieces, and of the rows.
    mutable Array<double, 1> piece_sums;
    mutable Array<T, 1> long_sums;
  };

  // left_i a_ij right_j, computed in double and rounded to T once; `scaling`: for every part of this rank, or empty.
  // `pattern` is that of `a`.
  Rows(RowPatternPtr pattern, const DistCrs& a, const std::vector<Scaling>& scaling = {});
  // New values of the same pattern.
  void fill(const DistCrs& a, const std::vector<Scaling>& scaling = {});

  const RowPattern& pattern() const { return *pattern_; }
  const RowPatternPtr& pattern_pointer() const { return pattern_; }
  const Team& team() const { return pattern_->team(); }
  const Part& part(int part) const { return parts_[static_cast<std::size_t>(part)]; }

 private:
  RowPatternPtr pattern_;
  std::vector<Part> parts_;
};

}  // namespace halocline::sparse
