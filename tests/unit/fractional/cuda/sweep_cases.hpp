// Lines for the tests of sweeps, and their solution one by one.
#pragma once

#include <vector>

#include "lib/linalg/strips/line_kernels.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "tests/unit/fractional/cuda/right_side_case.hpp"

namespace halocline::fractional {

template <class T>
inline strips::StripTables<T> tables_of_line(const ExecutorPtr& executor, Index rows, strips::TableOrder order,
                                             bool periodic) {
  const std::vector<double> values = random_values(2 * rows);
  std::vector<strips::RowCoefficients> of;
  for (Index i = 0; i < rows; ++i) {
    const double before = values[static_cast<std::size_t>(2 * i)], behind = values[static_cast<std::size_t>(2 * i + 1)];
    of.push_back({before, 2.5, behind});
  }
  strips::StripTables<T> tables(executor, rows, order);
  tables.assign(of, periodic);
  return tables;
}

// Solves a line of numbers that lie `stride` from each other, in place.
template <class T>
inline void solve_one(const strips::CommonLine<T>& line, T* u, Index stride) {
  std::vector<T> ends(static_cast<std::size_t>(2 * (line.layout.count + 2)));
  const auto get = [&](int, Index i) { return u[i * stride]; };
  const auto set = [&](int, Index i, T value) { u[i * stride] = value; };
  strips::solve_line<T>(
      line, 1, [&](int) { return strips::LocalEnds<T, 1>{ends.data()}; }, get, set, get, set);
}

}  // namespace halocline::fractional
