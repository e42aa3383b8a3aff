// PlacedProgram: a program in memory of an executor, in the form that its bodies take: by rows of values on the host, a
// thread per cell on GPUs.
#pragma once

#include "lib/base/array.hpp"
#include "lib/expression/program.hpp"
#include "lib/fields/formula_grid.hpp"
#include "lib/problems/diffusion/reactions/reaction_kernels.hpp"

namespace halocline::diffusion {

class PlacedProgram {
 public:
  PlacedProgram(const ExecutorPtr& executor, const Program& program, FormulaPath path);

  bool by_points() const { return by_points_; }
  int registers() const { return static_cast<int>(rows_.register_count); }
  int results() const { return static_cast<int>(results_.size()); }
  // Of `inputs`, one for each variable, in memory of the executor.
  RowSources rows(const PointInput* inputs, double t) const { return {rows_, inputs, t}; }
  template <int Own>
  PointSources<Own> points(const PointInput* inputs, double t) const {
    return {points_, inputs, t};
  }

 private:
  bool by_points_;
  Array<Instruction, 1> instructions_;
  Array<PointInstruction, 1> point_instructions_;
  Array<double, 1> constants_;
  Array<std::uint32_t, 1> results_;
  ProgramView rows_;
  PointProgramView points_;
};

}  // namespace halocline::diffusion
