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
  // y, of columns() numbers.
  std::vector<double> solve() const;

  // Collective.
  void archive(const Communicator& comm, StateArchive& state);

 private:
  double* column(int k) { return &values_[static_cast<std::size_t>(k * most_)]; }
  const double* column(int k) const { return &values_[static_cast<std::size_t>(k * most_)]; }
  double* cosines() { return column(most_); }
  double* sines() { return column(most_ + 1); }
  double* rhs() { return column(most_ + 2); }
  const double* rhs() const { return column(most_ + 2); }

  int most_, columns_ = 0;
  // Columns of the triangle, cosines, sines and the rotated right-hand side, `most_` numbers each, the last one more.
  std::vector<double> values_;
};

}  // namespace halocline
