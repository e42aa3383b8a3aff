// Lines for the tests of strips: rows of I - nu Lambda for sides of all kinds, and their solution by elimination in
// long double and in the type of numbers under test.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "lib/linalg/strips/strips.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::strips {

enum class End { dirichlet, neumann, robin, periodic };

struct LineCase {
  Index rows;
  End low, high;  // both periodic or none
  double nu;      // times 1 / h^2
  bool rough;     // diffusivities over six decades
  unsigned seed;
  bool periodic() const { return low == End::periodic; }
};

inline std::string text_of(const LineCase& c) {
  return std::to_string(c.rows) + " rows, ends " + std::to_string(static_cast<int>(c.low)) +
         std::to_string(static_cast<int>(c.high)) + ", nu " + std::to_string(c.nu) + (c.rough ? ", rough" : "");
}

// Diffusivities are those of the faces; face i lies before node i.
inline std::vector<RowCoefficients> rows_of(const LineCase& c) {
  const auto random = random_numbers(static_cast<std::size_t>(c.rows + 1), c.seed);
  std::vector<double> face;
  for (const double number : random) face.push_back(c.rough ? std::pow(10.0, 3 * number) : 1.0);
  if (c.periodic()) face.back() = face.front();
  std::vector<RowCoefficients> rows;
  for (Index i = 0; i < c.rows; ++i) {
    const double before = c.nu * face[i], behind = c.nu * face[i + 1];
    rows.push_back({before, 1 + before + behind, behind});
  }
  // Side rows look one way, with twice the flux; the other side of the row is air.
  const auto side = [&](End end, RowCoefficients& row, double inside, bool low) {
    if (end == End::periodic) return;
    const double flux = 2 * inside;
    row = {low ? 0 : flux, 1 + flux + (end == End::robin ? 0.7 * inside : 0), low ? flux : 0};
    if (end == End::dirichlet) row = {0, 1, 0};
  };
  side(c.low, rows.front(), c.nu * face[1], true);
  side(c.high, rows.back(), c.nu * face[c.rows - 1], false);
  return rows;
}

// All pairs of ends at a few magnitudes of nu, at which the 1 of I - nu Lambda is not lost in numbers of type T.
template <class T>
std::vector<LineCase> cases_of(Index rows) {
  std::vector<LineCase> cases;
  const double largest = sizeof(T) == 8 ? 1e9 : 1e3;
  for (const double nu : {0.1, std::sqrt(largest), largest})
    for (const bool rough : {false, true}) {
      const auto add = [&](End low, End high) {
        cases.push_back({rows, low, high, nu, rough, static_cast<unsigned>(rows + 1000 * cases.size())});
      };
      for (const End low : {End::dirichlet, End::neumann, End::robin})
        for (const End high : {End::dirichlet, End::neumann, End::robin}) add(low, high);
      add(End::periodic, End::periodic);
    }
  return cases;
}

// The Thomas algorithm in numbers of type R for several right-hand sides; of the first `count` rows.
template <class R>
void thomas(const std::vector<RowCoefficients>& rows, Index count, std::vector<std::vector<R>*> all) {
  std::vector<R> e(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    const R before = i > 0 ? static_cast<R>(rows[i].before) : R{0};
    const R pivot = static_cast<R>(rows[i].diagonal) - (i > 0 ? before * e[i - 1] : R{0});
    e[i] = static_cast<R>(rows[i].behind) / pivot;
    for (auto* f : all) (*f)[i] = ((*f)[i] + (i > 0 ? before * (*f)[i - 1] : R{0})) / pivot;
  }
  for (Index i = count - 2; i >= 0; --i)
    for (auto* f : all) (*f)[i] += e[i] * (*f)[i + 1];
}

// The solution of a line; one that is periodic by separating its last row.
template <class R>
std::vector<R> eliminated(const std::vector<RowCoefficients>& rows, bool periodic, const std::vector<double>& right) {
  std::vector<R> u(right.begin(), right.end());
  const Index n = static_cast<Index>(rows.size());
  if (!periodic) {
    thomas<R>(rows, n, {&u});
    return u;
  }
  std::vector<R> of_last(static_cast<std::size_t>(n - 1), R{0});
  of_last.front() += static_cast<R>(rows.front().before);
  of_last.back() += static_cast<R>(rows[n - 2].behind);
  thomas<R>(rows, n - 1, {&u, &of_last});
  const R before = static_cast<R>(rows.back().before), behind = static_cast<R>(rows.back().behind);
  u.back() = (u.back() + before * u[n - 2] + behind * u[0]) /
             (static_cast<R>(rows.back().diagonal) - before * of_last[n - 2] - behind * of_last[0]);
  for (Index i = 0; i + 1 < n; ++i) u[i] += of_last[i] * u.back();
  return u;
}

// Coefficients as numbers of type T hold them: what a solve in T is given.
template <class T>
std::vector<RowCoefficients> rounded_to(std::vector<RowCoefficients> rows) {
  for (RowCoefficients& row : rows)
    for (double* value : {&row.before, &row.diagonal, &row.behind}) *value = static_cast<T>(*value);
  return rows;
}

}  // namespace halocline::strips
