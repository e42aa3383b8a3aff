#include "lib/krylov/hessenberg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/krylov/report.hpp"

namespace halocline {

namespace {

constexpr double worth_a_column = 0.5;  // leaving one out must halve the residual to be expected

}  // namespace

HessenbergSystem::HessenbergSystem(int most_columns) : most_(most_columns), rhs_(1, 0.0) {
  require(most_columns >= 1, "HessenbergSystem: at least one column");
}

void HessenbergSystem::begin(double norm) {
  columns_ = 0;
  rhs_[0] = norm;
}

void HessenbergSystem::grow(int columns) {
  const auto count = static_cast<std::size_t>(columns);
  if (cosines_.size() >= count) return;
  triangle_.resize(first_of(columns));
  cosines_.resize(count);
  sines_.resize(count);
  rhs_.resize(count + 1);
}

bool HessenbergSystem::add_column(std::span<const double> above, double below, double smallest) {
  const int k = columns_;
  require(k < most_ && static_cast<int>(above.size()) == k + 1, "HessenbergSystem: a column too many or too short");
  grow(k + 1);
  double* const r = column(k);
  std::copy(above.begin(), above.end(), r);
  for (int i = 0; i < k; ++i) {
    const double upper = r[i], lower = r[i + 1];
    r[i] = cosines_[i] * upper + sines_[i] * lower;
    r[i + 1] = cosines_[i] * lower - sines_[i] * upper;
  }
  const double size = std::hypot(r[k], below);
  if (!(size > smallest)) return false;
  cosines_[k] = r[k] / size;
  sines_[k] = below / size;
  r[k] = size;
  rhs_[k + 1] = -sines_[k] * rhs_[k];
  rhs_[k] *= cosines_[k];
  ++columns_;
  return true;
}

double HessenbergSystem::residual() const { return std::abs(rhs_[columns_]); }

double HessenbergSystem::residual(int columns) const {
  double size = 0;
  for (int i = columns; i <= columns_; ++i) size = std::hypot(size, rhs_[i]);
  return size;
}

std::vector<double> HessenbergSystem::solve(int columns) const {
  std::vector<double> y(rhs_.begin(), rhs_.begin() + columns);
  for (int k = columns - 1; k >= 0; --k) {
    y[k] /= column(k)[k];
    for (int i = 0; i < k; ++i) y[i] -= column(k)[i] * y[k];
  }
  return y;
}

// What errors of the columns, rotated or not, do to the residual of y.
double HessenbergSystem::rounding(const std::vector<double>& y, double epsilon) const {
  double sum = 0;
  for (int k = 0; k < static_cast<int>(y.size()); ++k) {
    double size = 0;
    for (int i = 0; i <= k; ++i) size = std::hypot(size, column(k)[i]);
    sum += size * std::abs(y[k]);
  }
  return epsilon * sum;
}

HessenbergSystem::Selection HessenbergSystem::select(double epsilon, double smallest) const {
  int most = 0;
  while (most < columns_ && column(most)[most] > smallest) ++most;
  const double added = rounding(solve(most), epsilon);
  if (added <= residual(most)) return {most, most == columns_};
  int best = most;
  double least = std::isfinite(added) ? residual(most) + added : std::numeric_limits<double>::infinity();
  for (int k = most - 1; k >= 0 && residual(k) < least; --k) {
    const double sum = residual(k) + rounding(solve(k), epsilon);
    if (!(sum < worth_a_column * least)) continue;
    best = k;
    least = sum;
  }
  return {best, false};
}

void HessenbergSystem::archive(const Communicator& comm, StateArchive& state) {
  Index count = columns_;
  state.scalar("hessenberg_columns", count);
  columns_ = static_cast<int>(count);
  grow(columns_);
  const auto used = static_cast<std::size_t>(columns_);
  if (used > 0) {
    archive_values(comm, state, "hessenberg_triangle", std::span(triangle_).first(first_of(columns_)));
    archive_values(comm, state, "hessenberg_cosines", std::span(cosines_).first(used));
    archive_values(comm, state, "hessenberg_sines", std::span(sines_).first(used));
  }
  archive_values(comm, state, "hessenberg_rhs", std::span(rhs_).first(used + 1));
}

}  // namespace halocline
