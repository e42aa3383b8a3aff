// HessenbergSystem: the small least squares problem of GMRES, min || norm e_1 - H y ||, H upper Hessenberg and one
// column longer after every step. Givens rotations on the host; all ranks have the same numbers and get the same bits.
#pragma once

#include <span>
#include <vector>

#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

class HessenbergSystem {
 public:
  explicit HessenbergSystem(int most_columns);

  // No columns; the right-hand side is norm e_1.
  void begin(double norm);
  int columns() const { return columns_; }
  // Appends a column: `above` its columns() + 1 entries down to the diagonal, `below` the one under it. False, and
  // nothing is appended: the columns would depend on each other to within `smallest`.
  bool add_column(std::span<const double> above, double below, double smallest);
  // Of the minimum, the norm of the residual.
  double residual() const;
  // The same with the first `columns` columns alone.
  double residual(int columns) const;
  // y, of columns() numbers, or of as many as are used.
  std::vector<double> solve() const { return solve(columns_); }
  std::vector<double> solve(int columns) const;

  // How many columns, from the first on, give the least residual where each is known to within `epsilon` times its
  // norm: a y that rounding has made large spoils more than the last columns gain. Columns from the first pivot on that
  // is at most `smallest` are left out.
  struct Selection {
    int columns;
    bool sound;  // all of them, and the residual is above what rounding may add to it
  };
  Selection select(double epsilon, double smallest) const;

  // Collective.
  void archive(const Communicator& comm, StateArchive& state);

 private:
  double* column(int k) { return &triangle_[first_of(k)]; }
  const double* column(int k) const { return &triangle_[first_of(k)]; }
  static std::size_t first_of(int k) { return static_cast<std::size_t>(k) * (static_cast<std::size_t>(k) + 1) / 2; }
  void grow(int columns);
  double rounding(const std::vector<double>& y, double epsilon) const;

  int most_, columns_ = 0;
  // They grow with the columns, once; column k of the triangle has k + 1 numbers.
  std::vector<double> triangle_, cosines_, sines_;
  std::vector<double> rhs_;  // rotated; one number more
};

}  // namespace halocline
