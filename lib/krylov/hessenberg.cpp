#include "lib/krylov/hessenberg.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/krylov/report.hpp"

namespace halocline {

HessenbergSystem::HessenbergSystem(int most_columns)
    : most_(most_columns), values_(static_cast<std::size_t>((most_columns + 3) * most_columns + 1), 0.0) {
  require(most_columns >= 1, "HessenbergSystem: at least one column");
}

void HessenbergSystem::begin(double norm) {
  columns_ = 0;
  rhs()[0] = norm;
}

bool HessenbergSystem::add_column(std::span<const double> above, double below, double smallest) {
  const int k = columns_;
  require(k < most_ && static_cast<int>(above.size()) == k + 1, "HessenbergSystem: a column too many or too short");
  double* const r = column(k);
  std::copy(above.begin(), above.end(), r);
  for (int i = 0; i < k; ++i) {
    const double upper = r[i], lower = r[i + 1];
    r[i] = cosines()[i] * upper + sines()[i] * lower;
    r[i + 1] = cosines()[i] * lower - sines()[i] * upper;
  }
  const double size = std::hypot(r[k], below);
  if (!(size > smallest)) return false;
  cosines()[k] = r[k] / size;
  sines()[k] = below / size;
  r[k] = size;
  rhs()[k + 1] = -sines()[k] * rhs()[k];
  rhs()[k] *= cosines()[k];
  ++columns_;
  return true;
}

double HessenbergSystem::residual() const { return std::abs(rhs()[columns_]); }

std::vector<double> HessenbergSystem::solve() const {
  std::vector<double> y(rhs(), rhs() + columns_);
  for (int k = columns_ - 1; k >= 0; --k) {
    y[k] /= column(k)[k];
    for (int i = 0; i < k; ++i) y[i] -= column(k)[i] * y[k];
  }
  return y;
}

void HessenbergSystem::archive(const Communicator& comm, StateArchive& state) {
  Index count = columns_;
  state.scalar("hessenberg_columns", count);
  columns_ = static_cast<int>(count);
  archive_values(comm, state, "hessenberg_values", values_);
}

}  // namespace halocline
