// What the waves of wave_kernels.hpp need to know of their modes, on the host.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lib/problems/collocation/axes/axis.hpp"

namespace halocline::collocation {

// Lines of a strip: 2, 4, 8 or 16, about half the root of their number.
Index wave_strip_length(Index elements);
// Whether no mode of a u_xx + c u_yy + eta u oscillates along x, whose axis and that of y have a closed form.
bool only_waves(double a, double c, double eta);

// Of the modes of a u_xx + (eta + value) u on equal elements, each end Dirichlet or Neumann.
class WaveRates {
 public:
  // (eta + value) / a > 0 is a defect.
  WaveRates(const Axis& x, double a, double eta, std::span<const double> values);
  // Tables [number][mode] of the modes from `first` on: the rates; powers of so many elements each; what arrives at the
  // ends of the axis, as by WaveCloseBody.
  std::vector<double> rates() const;
  std::vector<double> powers(const std::vector<Index>& elements, Index first, Index count) const;
  std::vector<double> closing(Index first, Index count) const;

 private:
  struct Mode {
    double m, t, s, r, growth;  // growth: -ln r
    bool pair;
  };
  std::array<double, 2> power(const Mode& mode, Index elements) const;
  std::array<double, 8> numbers(const Mode& mode) const;

  Index n_;
  double unit_;  // a / h^2
  bool fixed_[2];
  std::vector<Mode> modes_;
};

}  // namespace halocline::collocation
