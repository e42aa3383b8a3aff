// What tests of steps share: an archive in memory, and a state with errors.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/time/stepping.hpp"

namespace halocline {

struct Memory final : StateArchive {
  std::map<std::string, double> numbers;
  bool reads = false;
  bool restoring() const override { return reads; }
  void scalar(const char* name, double& value) override { reads ? value = numbers.at(name) : numbers[name] = value; }
  void scalar(const char* name, Index& value) override {
    double number = static_cast<double>(value);
    scalar(name, number);
    value = static_cast<Index>(number);
  }
  void block(const char*, Index, Index, Range<1>, View<double, 1>, const Executor&) override {}
  void block(const char*, Index, Index, Range<1>, View<Index, 1>, const Executor&) override {}
};

// c' = -c by trapezoidal steps, with the error of each: third order in the step.
struct Decaying final : TimeStepper {
  double c = 1, tolerance = 1e-6, last = 0, largest = 1e9;
  bool erratic = false, judged = true;  // errors that need not grow with the step; whether they count
  Index tried = 0;
  std::vector<double> made;
  Index advance(const Clock& clock, Index steps) override {
    EXPECT_EQ(steps, 1);
    ++tried;
    last = 0;
    if (clock.dt > largest) return 0;
    const double next = c * (1 - clock.dt / 2) / (1 + clock.dt / 2);
    last = std::abs(next - c * std::exp(-clock.dt)) / tolerance;
    if (erratic) last *= std::pow(100, std::sin(1e7 * clock.dt));
    if (judged && !(last <= 1)) return 0;
    c = next;
    made.push_back(clock.dt);
    return 1;
  }
  double allowed() const override { return largest; }
  double error() const override { return last; }
  std::string trouble() const override { return std::isnan(c) ? "c is no number" : ""; }
  void mark(bool judges) override { kept = {c, made.size()}, judged = judges; }
  void undo(bool done) override {
    judged = true;
    if (done) c = kept.first, made.resize(kept.second);
  }
  std::pair<double, std::size_t> kept;
  Index group() const override { return 1; }
  void wait() const override {}
};

}  // namespace halocline
