// ColumnOperator: L u at a column of Gauss points, on the host, for any coefficients.
#pragma once

#include <array>
#include <vector>

#include "lib/problems/collocation/discretization/coefficients.hpp"

namespace halocline::collocation {

class ColumnOperator {
 public:
  explicit ColumnOperator(const Formulation& problem);

  // L u at the Gauss points first .. end - 1 of column g in x (first even), for u given by four unknowns at every node
  // of the lines e = g/2 and e + 1: `line` and `next` hold 4 (ny + 1) numbers, (u, s_x u_x, s_y u_y, s_x s_y u_xy) per
  // node. Fills result[first .. end - 1]. Not thread-safe: it keeps scratch memory.
  void apply(Index g, const double* line, const double* next, Index first, Index end, double* result);
  void apply(Index g, const double* line, const double* next, double* result) {
    apply(g, line, next, 0, problem_.y.unknowns(), result);
  }

 private:
  void evaluate(Index g, Index first, Index end);

  const Formulation& problem_;
  std::vector<std::array<double, 12>> rows_;        // along y: of every Gauss point, [order][unknown]
  std::array<std::vector<double>, 3> derivatives_;  // along x, of order 0, 1, 2: [node](v, w)
  CoefficientColumn coefficients_;
};

}  // namespace halocline::collocation
