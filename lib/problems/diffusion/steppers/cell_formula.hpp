// CellFormula: a formula of (x, y, z, t, c) on the cells of a part, evaluated on the device that holds them: row by row
// on the host, a thread per cell on a GPU.
#pragma once

#include "lib/base/array.hpp"
#include "lib/expression/program.hpp"
#include "lib/fields/formula_grid.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/steppers/formula_kernels.hpp"

namespace halocline::diffusion {

template <class T>
CellLayout layout_of(const ConvolveBlock<T>& block) {
  CellLayout cells{block.dimensions, {}, block.pitch, block.plane};
  std::copy(block.extent, block.extent + 3, cells.extent);
  return cells;
}

class CellFormula {
 public:
  // `program`: one result, of the five variables. `first`: global number of the part's first row (plane); `halo`: rows
  // beyond either end on which it may be evaluated.
  CellFormula(const ExecutorPtr& executor, const UniformGrid& geometry, const Program& program, const CellLayout& cells,
              Index first, Index halo, FormulaPath path = FormulaPath::of_executor);

  // On rows (planes) of the slow axis, at time t with the state c, laid out as the cells, which may be null where the
  // formula does not use it. Cell (z, y, x) goes to out[z * plane + y * pitch + x]. On the compute queue.
  template <class T>
  void evaluate(Rows rows, double t, const double* c, T* out, Index pitch, Index plane);

 private:
  template <class T>
  void evaluate_rows(Rows rows, double t, const double* c, T* out, Index pitch, Index plane);
  void make_points();
  const double* at(int axis) const;  // coordinate of cell 0

  ExecutorPtr executor_;
  Program program_;
  CellLayout cells_;
  Index halo_;
  Array<double, 1> coordinates_[3];
  bool by_points_;
  PointProgram on_points_;
  Array<Instruction, 1> instructions_;
  Array<double, 1> constants_, scratch_;
  Array<std::uint32_t, 1> results_;
  int width_ = 1;
};

}  // namespace halocline::diffusion
