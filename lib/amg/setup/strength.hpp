// Strength: on which of its neighbors each row of a level depends.
//
// Row i depends on j if s a_ij is negative and -s a_ij >= theta max_k(-s a_ik), s the sign of a_ii: positive couplings
// are never strong. A row whose sum exceeds 0.9 abs(a_ii) depends on nothing: Jacobi's method alone reduces its errors.
#pragma once

#include <vector>

#include "lib/amg/setup/ghost_exchange.hpp"

namespace halocline::amg {

class Strength {
 public:
  // `component`: which unknown of a system each row is, ghosts included; couplings between different ones do not count
  // here. Null: all rows are of one kind. Every row has a diagonal entry other than zero. Collective.
  Strength(const sparse::DistCrs& a, double theta, const LocalValues<LocalIndex>* component = nullptr);

  // Of a part, counted within the rank, in its executor's memory:
  const unsigned char* strong(int part) const { return of(part).strong.view().data; }  // of every entry: 1 if strong
  const double* diagonal(int part) const { return of(part).diagonal.view().data; }     // of every row: a_ii
  const double* sum_of_sizes(int part) const { return of(part).sizes.view().data; }    // sum of abs(a_ij), all j
  std::vector<unsigned char> strong_on_host(int part) const { return of(part).strong.to_host(); }

  // Whether any row depends on another.
  bool any() const { return any_; }

 private:
  struct Part {
    Array<unsigned char, 1> strong;
    Array<double, 1> diagonal, sizes;
  };
  const Part& of(int part) const { return parts_[static_cast<std::size_t>(part)]; }

  std::vector<Part> parts_;
  bool any_ = false;
};

}  // namespace halocline::amg
