// Strength: on which of its neighbors each row of a level depends.
//
// Row i depends on j if s a_ij is negative and -s a_ij >= theta max_k(-s a_ik), s the sign of a_ii: positive couplings
// are never strong. A row whose sum exceeds 0.9 abs(a_ii) depends on nothing: Jacobi's method alone reduces its errors.
#pragma once

#include <vector>

#include "lib/amg/setup/ghost_exchange.hpp"

namespace halocline::amg {

// Of every own row, for every part in its executor's memory: a_ii, and the sum of abs(a_ij) over all j.
struct RowSizes {
  std::vector<Array<double, 1>> diagonal, sums;
};
RowSizes row_sizes(const sparse::DistCrs& a);

class Strength {
 public:
  using Flags = std::vector<Array<unsigned char, 1>>;  // of all entries of every part
  // `component`: which unknown of a system each row is, ghosts included; couplings between different ones do not count
  // here. Null: all rows are of one kind. A row has a diagonal other than zero, or is zero and
  // depends on nothing. Collective.
  Strength(const sparse::DistCrs& a, double theta, const LocalValues<LocalIndex>* component = nullptr);
  // As another rule has found it. `any`: whether a row of this rank depends on another. Collective.
  Strength(const sparse::DistCrs& a, Flags strong, RowSizes sizes, bool any);

  // Of a part, counted within the rank, in its executor's memory: 1 for every entry that is strong.
  const unsigned char* strong(int part) const { return strong_[static_cast<std::size_t>(part)].view().data; }
  std::vector<unsigned char> strong_on_host(int part) const {
    return strong_[static_cast<std::size_t>(part)].to_host();
  }
  const RowSizes& sizes() const { return sizes_; }  // found on the way

  // Whether any row depends on another.
  bool any() const { return any_; }

 private:
  Flags strong_;
  RowSizes sizes_;
  bool any_ = false;
};

}  // namespace halocline::amg
