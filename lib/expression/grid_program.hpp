// GridProgram: a program of (x, y) prepared for the points of a tensor grid.
//
// What depends on x alone is computed once per x, what depends on y alone once per y; only the rest is computed at
// every point, with functions in SIMD registers. A point's values do not depend on the block or the thread that
// computes them.
#pragma once

#include <span>
#include <vector>

#include "lib/expression/program.hpp"

namespace halocline {

class GridProgram {
 public:
  // Where functions come from that depend on x and y: `fast` from vector_functions.hpp, which differ from apply() by up
  // to 4 units in the last place; `exact` the same bits as apply(), and so as evaluate(program, ...). Functions of x or
  // y alone are those of apply() always.
  enum class Functions { fast, exact };

  // Memory that one thread needs to evaluate.
  using Scratch = std::vector<double>;

  // `program` has two variables, x and y; the points of either may come in any order. Keeps no reference.
  // Memory: up to 256 numbers per point along x and per point along y.
  GridProgram(const Program& program, std::span<const double> x, std::span<const double> y,
              Functions functions = Functions::fast);

  int result_count() const { return points_.result_count(); }

  // Result r at (x[i], y[j]) goes to results[r][j - first], first <= j < end, as float or double. Any number of threads
  // may call at once, each with scratch of its own, which calls make as long as they need it.
  template <class T>
  void evaluate(Index i, Index first, Index end, T* const* results, Scratch& scratch) const;

  // The parts, to be copied into memory of an executor: what is computed at every point, from the values per x, then
  // the values per y; the values per x, [x][row], and per y, [row][y].
  const Program& points() const { return points_; }
  std::span<const double> x_values() const { return x_values_; }
  std::span<const double> y_values() const { return y_values_; }
  int values_per_x() const { return x_rows_; }
  int values_per_y() const { return y_rows_; }

 private:
  ProgramRow operand(std::uint32_t index, Index i, Index j, const double* registers) const;
  void run(Index i, Index j, int count, double* registers) const;

  Program points_;  // its variables: the values per x, then the values per y
  int x_rows_ = 0, y_rows_ = 0;
  Index y_count_ = 0;
  std::vector<double> x_values_;  // [x][row]
  std::vector<double> y_values_;  // [row][y]
  Functions functions_;
};

}  // namespace halocline
