// SlabFormula: a formula of place, time and state on the unknowns of a part, evaluated on the device that holds them:
// row by row on the host, a thread per unknown on a GPU.
#pragma once

#include <span>
#include <vector>

#include "lib/fields/formula_grid.hpp"
#include "lib/fields/row_program.hpp"
#include "lib/fields/slab_layout.hpp"
#include "lib/fields/uniform_grid.hpp"

namespace halocline {

/// Where results go: that of unknown (z, y, x) to data[z * plane + y * pitch + x], further ones `result` values behind.
template <class T>
struct SlabTarget {
  T* data;
  Index pitch, plane;
  Index result = 0;
};

class SlabFormula {
 public:
  /// `program`: of the first of the variables x, y, z, t, c, at most eight results. `slab`: the part's unknowns.
  /// `more`: unknown (0, 0, 0) of fields laid out as the slab, variables that come after c.
  SlabFormula(const ExecutorPtr& executor, const UniformGrid& grid, const Program& program, const SlabLayout& slab,
              FormulaPath path = FormulaPath::of_executor, std::span<const double* const> more = {});

  /// On rows (planes) of the slow axis, ghosts included, at time t with the state c, laid out as the slab, which may be
  /// null where the formula does not use it. On the compute queue. T: double or float.
  template <class T>
  void evaluate(SlabRows rows, double t, const double* c, const SlabTarget<T>& to, const PointLargest& largest = {}) {
    evaluate_on(slab_.box(rows), t, c, to, largest);
  }
  /// The same on rows along y that may be ghosts, where the slab has them.
  template <class T>
  void evaluate_on(const SlabBox& box, double t, const double* c, const SlabTarget<T>& to,
                   const PointLargest& largest = {});
  /// For bodies that evaluate pieces of lines themselves, see row_program_kernels.hpp; of one result, on host devices.
  FormulaLines lines(double t, const double* c) const;

 private:
  SlabLayout slab_;
  Array<double, 1> coordinates_[3];          // with those of the ghosts
  std::vector<Array<double, 1>> looked_up_;  // by points: what rasters have there
  bool by_points_;
  PointProgram on_points_;
  RowProgram on_rows_;
};

}  // namespace halocline
