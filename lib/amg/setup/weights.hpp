// LevelScaling: the weight of Jacobi's method in every row, and by it the factors that scale a level.
//
// omega_i = min(omega, bound abs(a_ii)/sum_j abs(a_ij)), S_i = sqrt(omega_i/abs(a_ii)), L_i = S_i sign(a_ii). On the
// level L A S Jacobi's method with these weights is y += g - (L A S) y. With a bound below 2 it converges for every
// symmetric positive definite matrix: 2 diag(a_ii/omega_i) - A is dominated by its diagonal. Isolated rows have 1 in
// place of omega, and a bound of 1.9 at most. Where a_ii is 0, in rows of coarse levels that are zero, factors and
// their inverses are 0: these rows get nothing and give nothing.
#pragma once

#include <limits>
#include <vector>

#include "lib/amg/setup/point_layout.hpp"
#include "lib/amg/setup/strength.hpp"
#include "lib/linalg/sparse/formats/product_rows.hpp"

namespace halocline::amg {

struct WeightOptions {
  double omega = 0.8;
  double bound = 1.9;  // infinity: none
};

class LevelScaling {
 public:
  // `kinds`: of own rows of every part; those that are isolated. Null: none is. Collective.
  LevelScaling(const sparse::DistCrs& a, const RowSizes& sizes, const std::vector<const PointKind*>& kinds,
               const WeightOptions& options);

  // Of own rows, in natural order, in the memory of the part's executor.
  const double* left(int part) const { return of(part).left.view().data; }
  const double* right(int part) const { return of(part).right.view().data; }
  const double* inverse_left(int part) const { return of(part).inverse_left.view().data; }
  const double* inverse_right(int part) const { return of(part).inverse_right.view().data; }

  double smallest_weight() const { return smallest_; }
  double mean_weight() const { return mean_; }
  // The largest S_i^2 sum_j abs(a_ij): no eigenvalue of the scaled matrix is larger.
  double largest_row() const { return largest_row_; }

 private:
  struct Part {
    Array<double, 1> left, right, inverse_left, inverse_right;
  };
  const Part& of(int part) const { return parts_[static_cast<std::size_t>(part)]; }

  std::vector<Part> parts_;
  double smallest_ = 1, mean_ = 1, largest_row_ = 0;
};

// Numbers of own rows of the space of columns of `m`, given to its ghosts too. `own`: of every part. Collective.
LocalValues<double> for_columns(const sparse::DistCrs& m, const std::vector<const double*>& own);

}  // namespace halocline::amg
