// AxisLevel: an axis on a level of multigrid: its nodes, how values go to the next level and back, and, where
// coefficients are the same along lines, what its nodes have of the matrix.
#pragma once

#include <vector>

#include "lib/problems/fractional/multigrid/multigrid_plan.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

/// Of the matrix w (1/nu - Lambda) along an axis: shares of cells, what nodes have with their neighbors, and what is
/// left of the diagonal, as ends of kind robin have it.
struct AxisEntries {
  std::vector<double> edge;  // [rows + 1] before node i; that of the end behind the last node
  std::vector<double> share, rest;
};

class AxisLevel {
 public:
  /// Of the finest grid: `finest` nodes.
  AxisLevel(const LevelPlan& plan, int axis, Index finest, End low);

  Index rows() const { return rows_; }
  bool halved() const { return halved_; }
  bool periodic() const { return periodic_; }
  /// Where the next level has as many, or half as many, nodes.
  Index coarse_rows() const { return coarse_; }
  /// Of the value at node i: the share that it takes of node i or i/2 of the next level; it takes the rest of the node
  /// behind that.
  const std::vector<double>& low() const { return low_; }
  /// What node I of the next level gets of the nodes before, at and behind I or 2 I: [3][coarse_rows()], transposed.
  std::vector<double> restriction() const;
  /// Sums of entries, and edges in a row as one.
  AxisEntries coarser(const AxisEntries& fine) const;

 private:
  Index rows_, coarse_;
  bool halved_, periodic_;
  std::vector<double> low_;
};

}  // namespace halocline::fractional
