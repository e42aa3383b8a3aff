// FormulaGrid: a program of (x, y) on the points of a tensor grid, evaluated where the values are wanted.
//
// What depends on x or y alone is computed once per coordinate, on the host; the rest at every point, on the executor:
// by GridProgram on host devices, by PointProgram on GPUs. The two differ by rounding in sin, exp and their like.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/expression/grid_program.hpp"
#include "lib/fields/point_program.hpp"

namespace halocline {

// The way of the executor's kind, or that of GPUs on any executor (for tests).
enum class FormulaPath { of_executor, points };

// Whether a program runs by PointProgram.
inline bool by_points(const Executor& executor, FormulaPath path) {
  return path == FormulaPath::points || executor.backend() == Backend::cuda;
}

class FormulaGrid {
 public:
  // As GridProgram: `program` has two variables, x and y; the points of either may come in any order. `functions`: of
  // host devices; those of GPUs have one kind.
  FormulaGrid(const ExecutorPtr& executor, const Program& program, std::span<const double> x, std::span<const double> y,
              FormulaPath path = FormulaPath::of_executor,
              GridProgram::Functions functions = GridProgram::Functions::fast);

  int result_count() const { return host_->result_count(); }

  // Every step-th x from `first` on, `count` of them, with the y from `low` to `high` - 1.
  struct Points {
    Index first, count, step;
    Index low, high;
  };
  // Result r at (x[first + n * step], y[low + k]) goes to data[n * line + r * result + k].
  template <class T>
  struct Target {
    T* data;
    Index line, result;
  };
  // On the compute queue of the executor; this object may be destroyed before the work is done. T is double or float.
  template <class T>
  void evaluate(const Points& points, const Target<T>& to) const;

 private:
  ExecutorPtr executor_;
  std::shared_ptr<const GridProgram> host_;
  bool by_points_;
  Array<double, 1> x_values_, y_values_;     // of `host_`, where points take them
  std::vector<Array<double, 1>> looked_up_;  // what rasters have on all points, likewise
  PointProgram on_points_;
};

}  // namespace halocline
