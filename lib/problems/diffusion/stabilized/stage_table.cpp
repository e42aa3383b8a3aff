#include "lib/problems/diffusion/stabilized/stage_table.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"

namespace halocline::diffusion {

namespace {

// The Chebyshev polynomial T_j at the argument w0 of a number of stages, with its first two derivatives, one after the
// other. In doubles recursions of some hundred steps would lose three digits of the second.
struct Chebyshev {
  using Real = long double;
  explicit Chebyshev(int stages) : x(1 + static_cast<Real>(2) / 13 / (static_cast<Real>(stages) * stages)) {}
  Real x;
  Real value[2] = {1, 0}, first[2] = {0, 0}, second[2] = {0, 0};  // of j and of j - 1
  int j = 0;
  void advance() {
    const Real factor = j == 0 ? 1 : 2;
    const Real next[3] = {factor * x * value[0] - value[1], factor * (value[0] + x * first[0]) - first[1],
                          factor * (2 * first[0] + x * second[0]) - second[1]};
    value[1] = value[0], first[1] = first[0], second[1] = second[0];
    value[0] = next[0], first[0] = next[1], second[0] = next[2];
    ++j;
  }
};

double reach_of_rkc(int stages) {
  Chebyshev t(stages);
  while (t.j < stages) t.advance();
  return static_cast<double>((t.x + 1) * t.second[0] / t.first[0]);
}

double reach_of_rkl2(double s) { return (s * s + s - 2) / 2; }

// Steps from one number of stages to the next.
int least_stages(TimeMethod method) { return method == TimeMethod::rkl2 ? 3 : 2; }
int increment(TimeMethod method) { return method == TimeMethod::rkl2 ? 2 : 1; }

}  // namespace

double stable_reach(TimeMethod method, int stages) {
  switch (method) {
    case TimeMethod::euler:
      return 2;
    case TimeMethod::rkc:
      return reach_of_rkc(stages);
    case TimeMethod::rkl2:
      return reach_of_rkl2(stages);
  }
  throw InternalError("diffusion: no such method");
}

double largest_reach(TimeMethod method, int most) {
  return stable_reach(method, method == TimeMethod::rkl2 && most % 2 == 0 ? most - 1 : most);
}

int stages_for(TimeMethod method, double reach, int most) {
  const double guess = method == TimeMethod::rkc ? std::sqrt(1 + 1.5 * reach) : std::sqrt(2 * reach + 2.25) - 0.5;
  if (!(guess <= most + 2.0)) return most + 1;
  const int step = increment(method);
  int s = std::max(least_stages(method), static_cast<int>(guess) - 2);
  if (method == TimeMethod::rkl2 && s % 2 == 0) --s;
  while (s > least_stages(method) && stable_reach(method, s - step) >= reach) s -= step;
  while (s <= most && stable_reach(method, s) < reach) s += step;
  return std::min(s, most + 1);
}

StageTable::StageTable(TimeMethod method, int most) : method_(method) {
  const auto size = static_cast<std::size_t>(most) + 1;
  table_.resize(size);
  for (std::vector<double>* values : {&b_, &adjoint_, &p2_, &p3_}) values->resize(size);
}

void StageTable::choose(int stages) {
  if (stages == stages_) return;
  require(stages >= least_stages(method_) && static_cast<std::size_t>(stages) < table_.size(), "StageTable: stages");
  stages_ = stages;
  method_ == TimeMethod::rkl2 ? set_rkl2() : set_rkc();
  set_times();
  set_weights();
}

void StageTable::set_rkc() {
  Chebyshev t(stages_);
  std::vector<double>& value = adjoint_;  // T_j, for now
  for (std::size_t j = 0; j <= static_cast<std::size_t>(stages_); ++j) {
    value[j] = static_cast<double>(t.value[0]);
    b_[j] = j < 2 ? 0 : static_cast<double>(t.second[0] / (t.first[0] * t.first[0]));
    if (t.j < stages_) t.advance();
  }
  b_[0] = b_[1] = b_[2];
  const auto w0 = static_cast<double>(t.x), w1 = static_cast<double>(t.first[0] / t.second[0]);
  table_[1] = {0, 0, b_[1] * w1, 0, 0, 0};
  for (std::size_t j = 2; j <= static_cast<std::size_t>(stages_); ++j) {
    Stage& s = table_[j];
    s.mu = 2 * b_[j] * w0 / b_[j - 1];
    s.nu = -b_[j] / b_[j - 2];
    s.rate = 2 * b_[j] * w1 / b_[j - 1];
    s.start = -(1 - b_[j - 1] * value[j - 1]) * s.rate;
  }
}

void StageTable::set_rkl2() {
  const double s = stages_, w1 = 4 / (s * s + s - 2);
  for (std::size_t n = 0; n <= static_cast<std::size_t>(stages_); ++n) {
    const auto j = static_cast<double>(n);
    b_[n] = n < 2 ? 1.0 / 3 : (j * j + j - 2) / (2 * j * (j + 1));
  }
  table_[1] = {0, 0, b_[1] * w1, 0, 0, 0};
  for (std::size_t n = 2; n <= static_cast<std::size_t>(stages_); ++n) {
    const auto j = static_cast<double>(n);
    Stage& stage = table_[n];
    stage.mu = (2 * j - 1) / j * b_[n] / b_[n - 1];
    stage.nu = -(j - 1) / j * b_[n] / b_[n - 2];
    stage.rate = stage.mu * w1;
    stage.start = -(1 - b_[n - 1]) * stage.rate;
  }
}

// c_j, the coefficient of z in the polynomial of stage j, and those of z^2 and z^3.
void StageTable::set_times() {
  table_[0].time = p2_[0] = p3_[0] = p2_[1] = p3_[1] = 0;
  table_[1].time = table_[1].rate;
  for (std::size_t j = 2; j <= static_cast<std::size_t>(stages_); ++j) {
    Stage& s = table_[j];
    s.time = s.mu * table_[j - 1].time + s.nu * table_[j - 2].time + s.rate + s.start;
    p2_[j] = s.mu * p2_[j - 1] + s.nu * p2_[j - 2] + s.rate * table_[j - 1].time;
    p3_[j] = s.mu * p3_[j - 1] + s.nu * p3_[j - 2] + s.rate * p2_[j - 1];
  }
  const double lacking = 1.0 / 6 - p3_[static_cast<std::size_t>(stages_)];
  share_ = lacking / (1.0 / 12 + lacking);
}

// The recursion backwards: adjoint_[j] is what Y_j - Y_0 counts in Y_s - Y_0.
void StageTable::set_weights() {
  const auto last = static_cast<std::size_t>(stages_);
  for (std::size_t j = 0; j <= last; ++j) adjoint_[j] = table_[j].weight = 0;
  adjoint_[last] = 1;
  for (std::size_t j = last; j >= 2; --j) {
    const Stage& s = table_[j];
    adjoint_[j - 1] += s.mu * adjoint_[j];
    adjoint_[j - 2] += s.nu * adjoint_[j];
    table_[j - 1].weight += s.rate * adjoint_[j];
    table_[0].weight += s.start * adjoint_[j];
  }
  table_[0].weight += table_[1].rate * adjoint_[1];
}

}  // namespace halocline::diffusion
